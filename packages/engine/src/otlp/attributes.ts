import type { AnyValue, KeyValue } from './form.ts'

type Plain = string | number | boolean | readonly Plain[]

/** Encodes plain values as OTLP attributes and drops unknown ones. */
export const toAttributes = (
  plain: Readonly<Record<string, Plain | null | undefined>>,
): readonly KeyValue[] =>
  Object.entries(plain).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: anyValue(value) }],
  )

function anyValue(plain: Plain): AnyValue {
  if (typeof plain === 'string') return { stringValue: plain }
  if (typeof plain === 'boolean') return { boolValue: plain }
  if (typeof plain !== 'number') return { arrayValue: { values: plain.map(anyValue) } }
  return Number.isSafeInteger(plain) ? { intValue: String(plain) } : { doubleValue: plain }
}

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined where the text is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a call was given, under names: a text alone is the input, a list its items. Undefined where that shows nothing. */
export function namedArguments(input: unknown): Fields | undefined {
  if (isFields(input)) return input
  if (typeof input === 'string') return input === '' ? {} : { input }
  return Array.isArray(input) ? { items: input } : undefined
}

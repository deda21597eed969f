/**
 * OTLP traces in their JSON form: ids in hex, 64-bit integers as text. Input from other programs may have any
 * other shape.
 */
export interface TracesRequest {
  readonly resourceSpans?: readonly ResourceSpans[]
}

export interface ResourceSpans {
  readonly resource?: { readonly attributes?: readonly KeyValue[] }
  readonly scopeSpans?: readonly ScopeSpans[]
}

export interface ScopeSpans {
  readonly scope?: { readonly name?: string; readonly version?: string }
  readonly spans?: readonly OtlpSpan[]
}

export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name?: string
  readonly kind?: number
  readonly flags?: number
  readonly startTimeUnixNano?: string | number
  readonly endTimeUnixNano?: string | number
  readonly attributes?: readonly KeyValue[]
  readonly events?: readonly OtlpEvent[]
  readonly status?: { readonly code?: number; readonly message?: string }
}

export interface OtlpEvent {
  readonly timeUnixNano?: string | number
  readonly name?: string
  readonly attributes?: readonly KeyValue[]
}

export interface KeyValue {
  readonly key: string
  readonly value?: AnyValue
}

export interface AnyValue {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: string | number
  readonly doubleValue?: number
  readonly arrayValue?: { readonly values?: readonly AnyValue[] }
  readonly kvlistValue?: { readonly values?: readonly KeyValue[] }
  readonly bytesValue?: string
}

/** The response to a trace export. It is empty when every span was accepted. */
export interface TracesResponse {
  readonly partialSuccess?: { readonly rejectedSpans?: string | number; readonly errorMessage?: string }
}

/** The response when the whole request was rejected (google.rpc.Status). */
export interface RpcStatus {
  readonly code?: number
  readonly message?: string
}

export const STATUS_ERROR = 2

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

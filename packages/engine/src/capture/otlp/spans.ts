import { STATUS_ERROR } from '@panoptes/engine/otlp'
import { type Fields, isPlainObject, toFields } from '@panoptes/schema/plain-object'

export type Attributes = ReadonlyMap<string, unknown>

/** A parsed span: ids in lower case, times in milliseconds, attributes as plain values. */
export interface Span {
  readonly trace: string
  readonly id: string
  /** The enclosing span in the same program; undefined for a root. */
  readonly parent: string | undefined
  readonly name: string
  readonly start: number
  readonly end: number
  readonly resource: Attributes
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  readonly failed: boolean
  readonly message: string
}

export interface SpanEvent {
  readonly name: string
  readonly attributes: Attributes
}

export type ReadSpan = { readonly span: Span } | { readonly problem: string }

const MOST_EVENTS = 1_000
const DEEPEST = 16
const NANO = 1_000_000n
/** The flags that say whether the parent belongs to another program, and whether that is known. */
const REMOTE_PARENT = 0x300
/** A span that serves another program is a root here, even without those flags. */
const ANSWERS: ReadonlySet<unknown> = new Set([2, 5, 'SPAN_KIND_SERVER', 'SPAN_KIND_CONSUMER'])

/**
 * Reads the spans of a request in JSON form, one at a time. Returns undefined when it is not a trace export.
 */
export function spansIn(request: unknown): Iterable<ReadSpan> | undefined {
  if (!isPlainObject(request)) return undefined
  const { resourceSpans } = request
  if (resourceSpans === undefined || resourceSpans === null)
    return Object.keys(request).length === 0 ? [] : undefined
  return Array.isArray(resourceSpans) ? read(resourceSpans) : undefined
}

function* read(resources: readonly unknown[]): Generator<ReadSpan> {
  for (const each of resources) {
    const { resource, scopeSpans } = toFields(each)
    const attributes = parseAttributes(toFields(resource).attributes)
    for (const scope of toList(scopeSpans))
      for (const span of toList(toFields(scope).spans)) yield parseSpan(toFields(span), attributes)
  }
}

function parseSpan(raw: Fields, resource: Attributes): ReadSpan {
  const trace = parseId(raw.traceId, 32)
  if (trace === undefined) return { problem: 'a span does not have a trace id of 32 hexadecimal digits' }
  const id = parseId(raw.spanId, 16)
  if (id === undefined) return { problem: 'a span does not have an id of 16 hexadecimal digits' }
  const above = raw.parentSpanId ?? ''
  const parent = above === '' || /^0+$/.test(String(above)) ? undefined : parseId(above, 16)
  if (above !== '' && parent === undefined && !/^0+$/.test(String(above)))
    return { problem: `span ${id} has an invalid parent id` }
  const start = parseMillis(raw.startTimeUnixNano)
  const end = parseMillis(raw.endTimeUnixNano, 'up') ?? start
  if (start === undefined || end === undefined) return { problem: `span ${id} has no time` }
  const flagged = typeof raw.flags === 'number' && (raw.flags & REMOTE_PARENT) === REMOTE_PARENT
  const remote = flagged || ANSWERS.has(raw.kind)
  const { code, message } = toFields(raw.status)
  return {
    span: {
      trace,
      id,
      parent: remote || parent === id ? undefined : parent,
      name: toText(raw.name).slice(0, 512),
      start,
      end: Math.max(start, end),
      resource,
      attributes: parseAttributes(raw.attributes),
      events: toList(raw.events).slice(0, MOST_EVENTS).map(parseEvent),
      failed: code === STATUS_ERROR || code === 'STATUS_CODE_ERROR',
      message: toText(message),
    },
  }
}

const parseEvent = (raw: unknown): SpanEvent => {
  const { name, attributes } = toFields(raw)
  return { name: toText(name), attributes: parseAttributes(attributes) }
}

function parseId(value: unknown, length: number): string | undefined {
  if (typeof value !== 'string' || value.length !== length || !/^[0-9a-f]+$/i.test(value)) return undefined
  return /^0+$/.test(value) ? undefined : value.toLowerCase()
}

const LATEST = 8_640_000_000_000_000n

/**
 * Converts nanoseconds since 1970 to whole milliseconds. An end is rounded up, so that no span ends before it
 * began.
 */
function parseMillis(value: unknown, towards: 'down' | 'up' = 'down'): number | undefined {
  const text = typeof value === 'number' ? String(Math.trunc(value)) : value
  if (typeof text !== 'string' || !/^\d{1,20}$/.test(text)) return undefined
  const millis = (BigInt(text) + (towards === 'up' ? NANO - 1n : 0n)) / NANO
  return millis === 0n || millis > LATEST ? undefined : Number(millis)
}

function parseAttributes(raw: unknown): Attributes {
  const attributes = new Map<string, unknown>()
  for (const each of toList(raw)) {
    const { key, value } = toFields(each)
    if (typeof key === 'string' && key !== '') attributes.set(key, plain(value, 0))
  }
  return attributes
}

/** Unwraps a typed OTLP value. */
function plain(raw: unknown, depth: number): unknown {
  if (depth > DEEPEST || !isPlainObject(raw)) return undefined
  if (typeof raw.stringValue === 'string') return raw.stringValue
  if (typeof raw.boolValue === 'boolean') return raw.boolValue
  if (raw.intValue !== undefined) return toNumber(raw.intValue)
  if (raw.doubleValue !== undefined) return toNumber(raw.doubleValue)
  if (raw.arrayValue !== undefined)
    return toList(toFields(raw.arrayValue).values).map((each) => plain(each, depth + 1))
  if (raw.kvlistValue !== undefined)
    return Object.fromEntries(
      toList(toFields(raw.kvlistValue).values).map((each) => {
        const { key, value } = toFields(each)
        return [toText(key), plain(value, depth + 1)]
      }),
    )
  return undefined
}

const toNumber = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.length <= 32 ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

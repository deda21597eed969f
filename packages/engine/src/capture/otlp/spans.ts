import { STATUS_ERROR } from '@panoptes/engine/otlp'

export type Attributes = ReadonlyMap<string, unknown>

/** One span, read: ids in small letters, times in milliseconds, attributes as plain values. */
export interface Span {
  readonly trace: string
  readonly id: string
  /** The span it is part of, in the same program; undefined at the top. */
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
/** The flags say whether the parent is of another program, and whether that is known. */
const REMOTE_PARENT = 0x300

/** Every span of a request in its JSON form, one at a time; undefined where it is no such request. */
export function spansIn(request: unknown): Iterable<ReadSpan> | undefined {
  if (!isFields(request)) return undefined
  const { resourceSpans } = request
  if (resourceSpans === undefined || resourceSpans === null)
    return Object.keys(request).length === 0 ? [] : undefined
  return Array.isArray(resourceSpans) ? read(resourceSpans) : undefined
}

function* read(resources: readonly unknown[]): Generator<ReadSpan> {
  for (const each of resources) {
    const { resource, scopeSpans } = fieldsOf(each)
    const attributes = attributesOf(fieldsOf(resource).attributes)
    for (const scope of listOf(scopeSpans))
      for (const span of listOf(fieldsOf(scope).spans)) yield spanOf(fieldsOf(span), attributes)
  }
}

function spanOf(told: Fields, resource: Attributes): ReadSpan {
  const trace = idOf(told.traceId, 32)
  if (trace === undefined) return { problem: 'a span has no trace id of 32 hexadecimal digits' }
  const id = idOf(told.spanId, 16)
  if (id === undefined) return { problem: 'a span has no id of 16 hexadecimal digits' }
  const above = told.parentSpanId ?? ''
  const parent = above === '' || /^0+$/.test(String(above)) ? undefined : idOf(above, 16)
  if (above !== '' && parent === undefined && !/^0+$/.test(String(above)))
    return { problem: `span ${id} has a parent that is no id` }
  const start = millisOf(told.startTimeUnixNano)
  const end = millisOf(told.endTimeUnixNano, 'up') ?? start
  if (start === undefined || end === undefined) return { problem: `span ${id} does not say when it was` }
  const remote = typeof told.flags === 'number' && (told.flags & REMOTE_PARENT) === REMOTE_PARENT
  const { code, message } = fieldsOf(told.status)
  return {
    span: {
      trace,
      id,
      parent: remote || parent === id ? undefined : parent,
      name: textOf(told.name).slice(0, 512),
      start,
      end: Math.max(start, end),
      resource,
      attributes: attributesOf(told.attributes),
      events: listOf(told.events).slice(0, MOST_EVENTS).map(eventOf),
      failed: code === STATUS_ERROR || code === 'STATUS_CODE_ERROR',
      message: textOf(message),
    },
  }
}

const eventOf = (told: unknown): SpanEvent => {
  const { name, attributes } = fieldsOf(told)
  return { name: textOf(name), attributes: attributesOf(attributes) }
}

function idOf(value: unknown, length: number): string | undefined {
  if (typeof value !== 'string' || value.length !== length || !/^[0-9a-f]+$/i.test(value)) return undefined
  return /^0+$/.test(value) ? undefined : value.toLowerCase()
}

const LATEST = 8_640_000_000_000_000n

/** Nanoseconds since 1970 as whole milliseconds; an end is rounded up, so that nothing ends before it began. */
function millisOf(value: unknown, towards: 'down' | 'up' = 'down'): number | undefined {
  const text = typeof value === 'number' ? String(Math.trunc(value)) : value
  if (typeof text !== 'string' || !/^\d{1,20}$/.test(text)) return undefined
  const millis = (BigInt(text) + (towards === 'up' ? NANO - 1n : 0n)) / NANO
  return millis === 0n || millis > LATEST ? undefined : Number(millis)
}

function attributesOf(told: unknown): Attributes {
  const attributes = new Map<string, unknown>()
  for (const each of listOf(told)) {
    const { key, value } = fieldsOf(each)
    if (typeof key === 'string' && key !== '') attributes.set(key, plain(value, 0))
  }
  return attributes
}

/** A value without the names of its types. */
function plain(told: unknown, depth: number): unknown {
  if (depth > DEEPEST || !isFields(told)) return undefined
  if (typeof told.stringValue === 'string') return told.stringValue
  if (typeof told.boolValue === 'boolean') return told.boolValue
  if (told.intValue !== undefined) return numberOf(told.intValue)
  if (told.doubleValue !== undefined) return numberOf(told.doubleValue)
  if (told.arrayValue !== undefined)
    return listOf(fieldsOf(told.arrayValue).values).map((each) => plain(each, depth + 1))
  if (told.kvlistValue !== undefined)
    return Object.fromEntries(
      listOf(fieldsOf(told.kvlistValue).values).map((each) => {
        const { key, value } = fieldsOf(each)
        return [textOf(key), plain(value, depth + 1)]
      }),
    )
  return undefined
}

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.length <= 32 ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

type Fields = Readonly<Record<string, unknown>>
const NONE: Fields = {}
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : NONE)
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

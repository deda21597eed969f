import type { NewEvent } from '@panoptes/schema'
import { fieldCalled, withCleanNames } from './field.ts'
import type { SecretField } from './names.ts'
import { marker, redactText } from './text.ts'
import { looksSecret } from './value.ts'

/** What events are known by and name each other with: links break when these change. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...['v', 'key', 'ts', 'event', 'source', 'session_id'],
  ...['id', 'agent_id', 'parent_id', 'tool_use_id'],
])

const LIMITS = [512, 4_096]

export interface RedactedEvent {
  readonly event: NewEvent
  readonly removed: number
}

/** Takes the secrets out of every text of an event, however deep; an event without any comes back as it is. */
export function redactEvent(event: NewEvent): RedactedEvent {
  const count = { removed: 0 }
  const fields = redactFields(event, count, { leave: ENVELOPE })
  if (fields === event) return { event, removed: 0 }
  const before = typeof event.redacted === 'number' ? event.redacted : 0
  return { event: { ...(fields as NewEvent), redacted: before + count.removed }, removed: count.removed }
}

/** Takes the secrets out of every text of a value, however deep. */
export const redactValue = (value: unknown): unknown => redactCounted(value).value

/** The same, and how many there were. */
export function redactCounted(value: unknown): { readonly value: unknown; readonly removed: number } {
  const count = { removed: 0 }
  const clean = cleanValue(value, count)
  return { value: clean, removed: count.removed }
}

interface Count {
  removed: number
}

type Fields = Readonly<Record<string, unknown>>

interface Around {
  readonly leave?: ReadonlySet<string>
  /** What is below the name of a password may be one, whatever it is called there. */
  readonly under?: SecretField
}

function redactFields(fields: Fields, count: Count, { leave, under }: Around = {}): Fields {
  const changed: [string, unknown][] = []
  let renamed = false
  for (const name of Object.keys(fields)) {
    if (leave?.has(name)) continue
    const field = fieldCalled(name)
    const value = fields[name]
    const clean = redactField(field.secret ?? under, value, count)
    if (clean !== value) changed.push([name, clean])
    count.removed += field.removed
    renamed ||= field.removed > 0
  }
  if (changed.length === 0 && !renamed) return fields
  // Spread and fromEntries define properties, so that a field called __proto__ stays a field.
  const clean = { ...fields, ...Object.fromEntries(changed) }
  return renamed ? withCleanNames(clean, leave) : clean
}

function cleanValue(value: unknown, count: Count): unknown {
  if (typeof value === 'string') return redactString(value, count)
  if (Array.isArray(value)) return redactList(value, count)
  if (typeof value === 'object' && value !== null) return redactFields(value as Fields, count)
  return value
}

function redactList(list: readonly unknown[], count: Count): readonly unknown[] {
  const clean = list.map((value) => cleanValue(value, count))
  return clean.some((value, index) => value !== list[index]) ? clean : list
}

function redactString(text: string, count: Count): string {
  const { text: clean, removed } = redactText(text)
  count.removed += removed
  return removed === 0 ? text : within(text.length, clean)
}

/** A marker may be longer than what it stands for; a text that kept to a limit of the vocabulary still does. */
function within(before: number, text: string): string {
  const limit = LIMITS.find((most) => before <= most)
  return limit === undefined || text.length <= limit ? text : text.slice(0, limit)
}

function redactField(field: SecretField | undefined, value: unknown, count: Count): unknown {
  if (field === undefined) return cleanValue(value, count)
  if (field.kind === 'header') {
    return typeof value === 'string' ? redactHeader(field.name, value, count) : cleanValue(value, count)
  }
  if (Array.isArray(value)) {
    const clean = value.map((item) => redactField(field, item, count))
    return clean.some((item, index) => item !== value[index]) ? clean : value
  }
  if (field.strength === 'password' && typeof value === 'object' && value !== null)
    return redactFields(value as Fields, count, { under: field })
  // Anything may be a password, a number too.
  const told = typeof value === 'number' && field.strength === 'password' ? String(value) : value
  if (typeof told !== 'string' || !looksSecret(told, 'quoted', field.strength))
    return cleanValue(value, count)
  count.removed += 1
  return marker(field.label)
}

function redactHeader(name: string, value: string, count: Count): string {
  const start = `${name}: `
  const clean = redactString(start + value, count)
  return clean.length === start.length + value.length && clean.endsWith(value)
    ? value
    : clean.slice(start.length)
}

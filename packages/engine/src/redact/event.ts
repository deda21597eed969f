import type { NewEvent } from '@panoptes/schema'
import { authorizationField, secretField } from './assignments.ts'
import { marker, redactText } from './text.ts'
import { looksSecret } from './value.ts'

/** What an event is known by: links between events break when these change. */
const ENVELOPE: ReadonlySet<string> = new Set(['v', 'key', 'ts', 'event', 'source', 'session_id', 'id'])

const LIMITS = [512, 4_096]

export interface RedactedEvent {
  readonly event: NewEvent
  readonly removed: number
}

/** Takes the secrets out of every text of an event, however deep; an event without any comes back as it is. */
export function redactEvent(event: NewEvent): RedactedEvent {
  const count = { removed: 0 }
  const fields = redactFields(event, count, ENVELOPE)
  if (fields === event) return { event, removed: 0 }
  const before = typeof event.redacted === 'number' ? event.redacted : 0
  return { event: { ...(fields as NewEvent), redacted: before + count.removed }, removed: count.removed }
}

/** Takes the secrets out of every text of a value, however deep. */
export const redactValue = (value: unknown): unknown => cleanValue(value, { removed: 0 })

interface Count {
  removed: number
}

type Fields = Readonly<Record<string, unknown>>

function redactFields(fields: Fields, count: Count, leave?: ReadonlySet<string>): Fields {
  const changed: [string, unknown][] = []
  for (const name of Object.keys(fields)) {
    if (leave?.has(name)) continue
    const value = fields[name]
    const clean = typeof value === 'string' ? redactField(name, value, count) : cleanValue(value, count)
    if (clean !== value) changed.push([name, clean])
  }
  // Spread and fromEntries define properties, so that a field called __proto__ stays a field.
  return changed.length > 0 ? { ...fields, ...Object.fromEntries(changed) } : fields
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

function redactField(name: string, value: string, count: Count): string {
  if (value.length < 4) return value
  const whole = wholeField(name, value)
  if (whole === undefined) return redactString(value, count)
  count.removed += 1
  return whole
}

/** A field whose name says that its value is a secret. */
function wholeField(name: string, value: string): string | undefined {
  const field = secretField(name)
  if (field?.label === 'authorization') {
    const found = authorizationField(value)
    return typeof found === 'number' ? undefined : value.slice(0, found.start) + marker(found.label)
  }
  return field && looksSecret(value, 'quoted', field.strength) ? marker(field.label) : undefined
}

import type { NewEvent } from '@panoptes/schema'
import { analyzeField, cleanNames } from './field.ts'
import { cleanProject } from './project.ts'
import type { SecretField } from './secret-names.ts'
import { marker, redactText } from './text.ts'
import { looksSecret } from './value.ts'

/** Ids by which events are identified and linked: links would break if these changed. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...['v', 'key', 'ts', 'session_id'],
  ...['id', 'agent_id', 'parent_id', 'tool_use_id'],
])

const LIMITS = [512, 4_096]

export interface RedactedEvent {
  readonly event: NewEvent
  readonly removed: number
}

/** Removes secrets from every text of an event at any depth. An event without secrets is returned as is. */
export function redactEvent(event: NewEvent): RedactedEvent {
  const count = { removed: 0, depth: 0 }
  const fields = redactFields(withCleanProject(event), count, { leave: ENVELOPE })
  if (fields === event) return { event, removed: 0 }
  const before = typeof event.redacted === 'number' ? event.redacted : 0
  return { event: { ...(fields as NewEvent), redacted: before + count.removed }, removed: count.removed }
}

/**
 * Removes only a secret that the folder reveals. A secret in the name itself is found and counted like any
 * other.
 */
function withCleanProject(event: NewEvent): NewEvent {
  const { project, cwd } = event as { readonly project?: unknown; readonly cwd?: unknown }
  if (typeof project !== 'string' || redactText(project).removed > 0) return event
  const clean = cleanProject(project, cwd)
  return clean === project ? event : { ...event, project: clean }
}

/** Removes secrets from every text of a value at any depth. */
export const redactValue = (value: unknown): unknown => redactCounted(value).value

/** Does the same as `redactValue` and counts the secrets. */
export function redactCounted(value: unknown): { readonly value: unknown; readonly removed: number } {
  const count = { removed: 0, depth: 0 }
  const clean = cleanValue(value, count)
  return { value: clean, removed: count.removed }
}

/**
 * Removes secrets from a row that was derived from events. Fields named in `ids` stay unchanged at any depth,
 * and so do numbers, because they are counts: `{"reset_password": 1200}` says how often a tool was called.
 */
export const redactRow = (row: unknown, ids: ReadonlySet<string>): unknown =>
  cleanValue(row, { removed: 0, depth: 0, ids })

interface Count {
  removed: number
  depth: number
  readonly ids?: ReadonlySet<string>
}

/** This is far deeper than any tool nests values, and far less than the stack allows. */
const MOST_DEPTH = 500
const TOO_DEEP = '[nested too deep]'

/** Values that are too deep to be checked are left out, because they could contain a secret. */
function withDepth<T>(count: Count, clean: () => T): T | typeof TOO_DEEP {
  if (count.depth >= MOST_DEPTH) return TOO_DEEP
  count.depth += 1
  const value = clean()
  count.depth -= 1
  return value
}

type Fields = Readonly<Record<string, unknown>>

interface Around {
  readonly leave?: ReadonlySet<string>
  /** Anything below a password's name may be one, whatever its own name is. */
  readonly under?: SecretField
}

function redactFields(fields: Fields, count: Count, { leave, under }: Around = {}): Fields {
  const changed: [string, unknown][] = []
  let renamed = false
  for (const name of Object.keys(fields)) {
    if (leave?.has(name) || count.ids?.has(name)) continue
    const field = analyzeField(name)
    const value = fields[name]
    const clean = redactField(field.secret ?? under, value, count)
    if (clean !== value) changed.push([name, clean])
    count.removed += field.removed
    renamed ||= field.removed > 0
  }
  if (changed.length === 0 && !renamed) return fields
  // Spread and fromEntries define properties, so that a field called __proto__ stays a field.
  const clean = { ...fields, ...Object.fromEntries(changed) }
  return renamed ? cleanNames(clean, leave) : clean
}

function cleanValue(value: unknown, count: Count): unknown {
  if (typeof value === 'string') return redactString(value, count)
  if (Array.isArray(value)) return withDepth(count, () => redactList(value, count))
  if (typeof value === 'object' && value !== null)
    return withDepth(count, () => redactFields(value as Fields, count))
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

/**
 * A marker may be longer than the text it replaces, so the result is cut to the vocabulary limit that the
 * text kept.
 */
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
    return withDepth(count, () => {
      const clean = value.map((item) => redactField(field, item, count))
      return clean.some((item, index) => item !== value[index]) ? clean : value
    })
  }
  if (field.strength === 'password' && typeof value === 'object' && value !== null)
    return withDepth(count, () => redactFields(value as Fields, count, { under: field }))
  // Any value may be a password, including a number.
  const isSecretNumber = typeof value === 'number' && field.strength === 'password' && count.ids === undefined
  const text = isSecretNumber ? String(value) : value
  if (typeof text !== 'string' || !looksSecret(text, 'quoted', field.strength))
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

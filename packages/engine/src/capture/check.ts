import { redactText } from '@panoptes/engine/redact'
import {
  check,
  type EventInput,
  eventInputSchema,
  eventKind,
  isName,
  readAgentId,
  SEED_KINDS,
} from '@panoptes/schema'
import { isNestedTooDeep, JSON_LEVELS } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { LINE_LIMIT, lineLength, parse, type RawLine } from './lines.ts'

export const KEY_LIMIT = 512
export const DEPTH_LIMIT = 64

export interface Complaint {
  readonly path: string
  readonly reason: string
  /** This is true when the line was nested too deeply to be parsed. */
  readonly unread?: true
}

export type Fields = Readonly<Record<string, unknown>>

/** A line with valid event fields as they arrived, and its time in milliseconds if it has one. */
export interface CheckedLine {
  readonly line: number
  readonly fields: Fields & { readonly event: string }
  readonly ts: number | undefined
}

export function checkLine(raw: RawLine): CheckedLine | Complaint {
  if ('text' in raw && isNestedTooDeep(raw.text)) return tooDeepToRead
  if (lineLength(raw) > LINE_LIMIT) return complaint('', `is longer than ${LINE_LIMIT / 1024} KB`)
  const parsed = 'text' in raw ? parseLine(raw.text) : raw
  if (!parsed) return complaint('', 'is not JSON')
  if (isCut(parsed.value)) return tooDeepToRead
  if (!isPlainObject(parsed.value)) return complaint('', 'is not a JSON object')
  const fields = withSuccess(parsed.value)
  if (fields.event === undefined) return complaint('event', 'is missing')
  if (isDeeper(fields, DEPTH_LIMIT)) return complaint('', TOO_DEEP)
  const checked = check(eventInputSchema(fields.event), withoutLongKey(fields))
  if (!checked.ok) return checked.problems[0] ?? complaint('', 'is not an event')
  const input: EventInput = checked.value
  // An unknown kind may have any fields, but an agent id creates a row and has to be valid.
  const agent =
    eventKind(input.event) === undefined ? readAgentId(fields as CheckedLine['fields']) : undefined
  if (agent !== undefined && !isName(agent)) return complaint('agent_id', 'cannot be the name of an agent')
  if (input.session_id == null && !SEED_KINDS.has(input.event)) return complaint('session_id', 'is missing')
  return {
    line: raw.line,
    fields: withCleanSource(fields as CheckedLine['fields']),
    ts: input.ts ?? undefined,
  }
}

const complaint = (path: string, reason: string): Complaint => ({ path, reason })

const TOO_DEEP = `is nested deeper than ${DEPTH_LIMIT} levels`
const tooDeepToRead: Complaint = { path: '', reason: TOO_DEEP, unread: true }

/**
 * A failing JSON.parse is slow and truncated lines are the most common mistake, so they are detected without
 * it.
 */
function parseLine(text: string): { readonly value: unknown } | undefined {
  const line = text.trim()
  return line.startsWith('{') && !line.endsWith('}') ? undefined : parse(line)
}

/**
 * Returns true when the value comes from a body that was cut at the nesting limit. The body itself may add
 * one level.
 */
const isCut = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && isDeeper(value, JSON_LEVELS - 2)

/** Some senders report a skill's success as 0 or 1, as `record-skill` does. */
const withSuccess = (fields: Fields): Fields =>
  fields.event === 'skill_use' && (fields.success === 0 || fields.success === 1)
    ? { ...fields, success: fields.success === 1 }
    : fields

const LONGEST_SOURCE = 64

/** Session ids and keys contain the source, so secrets are removed from it before they are built. */
function withCleanSource(fields: CheckedLine['fields']): CheckedLine['fields'] {
  if (typeof fields.source !== 'string') return fields
  const { text, removed } = redactText(fields.source)
  return removed === 0 ? fields : { ...fields, source: text.slice(0, LONGEST_SOURCE) }
}

/** A key over the limit is not an error: it is replaced by a hash. */
const withoutLongKey = (fields: Fields): Fields =>
  typeof fields.key === 'string' && fields.key.length > KEY_LIMIT ? { ...fields, key: undefined } : fields

export function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && isDeeper(part, levels - 1)) return true
  }
  return false
}

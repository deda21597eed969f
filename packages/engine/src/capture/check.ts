import {
  agentOf,
  check,
  type EventInput,
  eventInputOf,
  eventKind,
  isName,
  SEED_KINDS,
} from '@panoptes/schema'
import { LINE_LIMIT, lengthOf, parse, type RawLine } from './lines.ts'

export const KEY_LIMIT = 512
export const DEPTH_LIMIT = 64

export interface Complaint {
  readonly path: string
  readonly reason: string
}

export type Fields = Readonly<Record<string, unknown>>

/** A line that says an event: its fields as they came, and its time in milliseconds where it has one. */
export interface CheckedLine {
  readonly line: number
  readonly fields: Fields & { readonly event: string }
  readonly ts: number | undefined
}

export function checkLine(raw: RawLine): CheckedLine | Complaint {
  if (lengthOf(raw) > LINE_LIMIT) return complaint('', `is longer than ${LINE_LIMIT / 1024} KB`)
  const parsed = 'text' in raw ? parseLine(raw.text) : raw
  if (!parsed) return complaint('', 'is not JSON')
  if (!isFields(parsed.value)) return complaint('', 'is not a JSON object')
  const fields = withSuccess(parsed.value)
  if (fields.event === undefined) return complaint('event', 'is missing')
  if (isDeeper(fields, DEPTH_LIMIT)) return complaint('', `is nested deeper than ${DEPTH_LIMIT} levels`)
  const checked = check(eventInputOf(fields.event), withoutLongKey(fields))
  if (!checked.ok) return checked.problems[0] ?? complaint('', 'is not an event')
  const input: EventInput = checked.value
  // A kind that is not known may say anything, but whoever names an agent makes a row of that name.
  const agent = eventKind(input.event) === undefined ? agentOf(fields as CheckedLine['fields']) : undefined
  if (agent !== undefined && !isName(agent)) return complaint('agent_id', 'cannot be the name of an agent')
  if (input.session_id == null && !SEED_KINDS.has(input.event)) return complaint('session_id', 'is missing')
  return { line: raw.line, fields: fields as CheckedLine['fields'], ts: input.ts ?? undefined }
}

const complaint = (path: string, reason: string): Complaint => ({ path, reason })

/** A parser that fails is slow, and half a line is the most common mistake: it is seen without one. */
function parseLine(text: string): { readonly value: unknown } | undefined {
  const line = text.trim()
  return line.startsWith('{') && !line.endsWith('}') ? undefined : parse(line)
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a skill succeeded is told as 0 or 1 by some, as `record-skill` takes it. */
const withSuccess = (fields: Fields): Fields =>
  fields.event === 'skill_use' && (fields.success === 0 || fields.success === 1)
    ? { ...fields, success: fields.success === 1 }
    : fields

/** A key over the limit is no mistake: it is hashed. */
const withoutLongKey = (fields: Fields): Fields =>
  typeof fields.key === 'string' && fields.key.length > KEY_LIMIT ? { ...fields, key: undefined } : fields

export function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && isDeeper(part, levels - 1)) return true
  }
  return false
}

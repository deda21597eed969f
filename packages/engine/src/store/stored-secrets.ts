import { REDACTION_RULES, redactEvent, redactRow, redactText } from '@panoptes/engine/redact'
import type { Account, NewEvent } from '@panoptes/schema'
import { serializeEvent } from './event-line.ts'

/** Records how far the stored rows were cleaned, and by which version of the redaction rules. */
export interface Cleaning {
  readonly rules: number
  /** The last event that was examined, or null when everything is done. */
  readonly after: number | null
  /**
   * Counts the changed rows. If there are any, the projections have to be recomputed and the file rewritten.
   */
  readonly rows: number
}

/** The name under which a store keeps its progress. */
export const CLEANING = 'redaction'

const isCleaning = (value: unknown): value is Cleaning =>
  typeof value === 'object' && value !== null && 'rules' in value && 'after' in value && 'rows' in value

/**
 * Returns what is left to do according to the stored progress, or undefined when the rows are as clean as the
 * current rules make them.
 */
export function parseRemainingCleaning(stored: string | undefined): Cleaning | undefined {
  const cleaning: unknown = stored === undefined ? undefined : JSON.parse(stored)
  if (!isCleaning(cleaning)) return { rules: REDACTION_RULES, after: 0, rows: 0 }
  if (cleaning.rules > REDACTION_RULES) return undefined
  if (cleaning.rules === REDACTION_RULES) return cleaning.after === null ? undefined : cleaning
  // Older rules may have changed rows without rewriting the file.
  return { rules: REDACTION_RULES, after: 0, rows: cleaning.after === null ? 0 : cleaning.rows }
}

/** A slice has this many rows. Appends wait for a slice, so it is small. */
export const CLEANED_ROWS = 500
/** A slice of long texts ends earlier. */
export const CLEANED_CHARS = 1_000_000

/** An event without the secrets in its stored text. */
export interface CleanEvent {
  readonly event: string
  readonly source: string
  /** Differs from the stored key only if that was derived from a source with a secret. */
  readonly key: string
  readonly line: string
}

/** Returns undefined for a text without secrets. */
export function cleanStoredEvent(body: string): CleanEvent | undefined {
  const stored = JSON.parse(body) as NewEvent
  const { event } = redactEvent(stored)
  if (event === stored) return undefined
  // Capture derives keys from the redacted source.
  const key = stored.source === event.source ? stored.key : stored.key.replaceAll(stored.source, event.source)
  const clean = key === stored.key ? event : { ...event, key }
  return { event: event.event, source: event.source, key, line: serializeEvent(clean) }
}

/** Fields that link rows to each other or decide whether a session has to be read again. */
const IDS: ReadonlySet<string> = new Set([
  ...[
    'id',
    'agent_id',
    'parent_id',
    'session_id',
    'session_of',
    'tool_use_id',
    'turn_id',
    'key',
    'fingerprint',
  ],
  ...['call', 'made', 'unmet', 'guess', 'ended_calls', 'dropped', 'early'],
])

/** Returns the JSON text of a row without secrets. A text without secrets stays the same. */
export function cleanDoc(doc: string): string {
  const stored: unknown = JSON.parse(doc)
  const clean = redactRow(stored, IDS)
  return clean === stored ? doc : JSON.stringify(clean)
}

/**
 * A row of a projection that retention left. Its key may contain a secret too: a source, or the name of a
 * tool.
 */
export interface ProjectionRow {
  readonly name: string
  readonly key: string
  readonly grp: string
  readonly ref: string
  readonly doc: string
}

/** Returns undefined for a row without secrets. */
export function cleanProjectionRow(row: ProjectionRow): ProjectionRow | undefined {
  const { name } = row
  const [key, grp] = [cleanRowKey(name, row.key), cleanRowKey(name, row.grp)]
  const ref = name === 'tools' ? redactText(row.ref).text : row.ref
  const doc = cleanDoc(row.doc)
  if (key === row.key && grp === row.grp && ref === row.ref && doc === row.doc) return undefined
  const read = JSON.parse(doc) as { readonly session_of?: string }
  return {
    name,
    key,
    grp,
    ref,
    doc: read.session_of === row.grp ? JSON.stringify({ ...read, session_of: grp }) : doc,
  }
}

/** Returns the account unchanged when it contains no secret. */
export const cleanAccount = (account: Account): Account => redactRow(account, IDS) as Account

const SEPARATOR = '\u001f'

/** A key or group begins with a source. The rest are ids, except for the name of a tool. */
function cleanRowKey(projection: string, key: string): string {
  const parts = key.split(SEPARATOR)
  const texts = projection === 'tools' ? parts.length : 1
  return parts.map((part, at) => (at < texts ? redactText(part).text : part)).join(SEPARATOR)
}

/** Redacts lines of JSON and keeps each of them one line. */
const cleanLines = (lines: string): string =>
  lines
    .split('\n')
    .map((line) => (line === '' ? line : cleanDoc(line)))
    .join('\n')

/** Redacts a plain text, such as a note. */
export const cleanText = (text: string): string => redactText(text).text

export interface DocTable {
  readonly table: string
  /** The columns of the primary key, in order. */
  readonly keys: readonly string[]
  /** The column with JSON text, or with text that `clean` understands. */
  readonly doc: string
  /** Redacts the column when it is not a JSON document. */
  readonly clean?: (stored: string) => string
  /** A condition on the rows to clean. Other rows stay as they are. */
  readonly only?: string
}

/** Tables outside the log that every engine has. */
export const DOC_TABLES: readonly DocTable[] = [
  { table: 'contributions', keys: ['scope', 'id'], doc: 'doc' },
  { table: 'unlocks', keys: ['view', 'id'], doc: 'doc' },
  { table: 'template_notes', keys: ['name', 'made_at'], doc: 'doc' },
  { table: 'turns', keys: ['number'], doc: 'doc' },
  { table: 'marks', keys: ['name'], doc: 'value', only: "name LIKE 'transcript:%'" },
  { table: 'conversations', keys: ['id'], doc: 'doc' },
  { table: 'conversations', keys: ['id'], doc: 'epoch', only: 'epoch IS NOT NULL' },
  { table: 'chat_messages', keys: ['number'], doc: 'doc' },
  { table: 'chat_messages', keys: ['number'], doc: 'sent', only: 'sent IS NOT NULL' },
  { table: 'chat_replaced', keys: ['number'], doc: 'doc' },
  { table: 'chat_runs', keys: ['number'], doc: 'events', clean: cleanLines },
  { table: 'session_marks', keys: ['source', 'id'], doc: 'note', clean: cleanText, only: 'note IS NOT NULL' },
  { table: 'saved_filters', keys: ['name'], doc: 'query' },
]

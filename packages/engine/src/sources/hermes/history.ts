import { hash } from 'node:crypto'
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { databaseFailureOf } from '../database/failures.ts'
import { markOf } from '../database/marks.ts'
import { SharedDatabase } from '../database/shared-database.ts'
import { columnText } from '../database/text.ts'
import { type ReadTo, rowsLeft } from './history-left.ts'
import { countedRows } from './history-rows.ts'
import { type HistoryStatements, historyStatements } from './history-statements.ts'
import { OWNER } from './state-database.ts'

/** A session as Hermes itself counts it. */
export interface CountedSession {
  readonly id: string
  readonly source: string
  readonly model: string | null
  readonly title: string | null
  /** Milliseconds. */
  readonly started_at: number | null
  readonly last_at: number | null
  /** Put away or hidden: Hermes does not count it. */
  readonly apart: boolean
  readonly message_count: number
  /** Changes with all of the above, and with the number and state of its messages. */
  readonly fingerprint: string
}

/** A row that counts; texts as they are stored. */
export type CountedRow = readonly [
  id: bigint,
  role: SQLOutputValue,
  content: SQLOutputValue,
  timestamp: SQLOutputValue,
  callId: SQLOutputValue,
  calls: SQLOutputValue,
  toolName: SQLOutputValue,
]

/** Rows of one session, or the damage that keeps them from being read. */
export interface CountedPart {
  /** Its place in the list that was asked for. */
  readonly at: number
  readonly rows: readonly CountedRow[]
  /** Rows of the session may be copies of one another. */
  readonly repeats: boolean
  /** Nothing more comes of it. */
  readonly ended: boolean
  /** What came of it before is not to be counted: it begins anew. */
  readonly again: boolean
  /** At its end: the beginning of what a person first said in it, where it has no title. */
  readonly preview: string | null
  readonly failed: Failure | undefined
}

/** One of Hermes' databases, read for what its sessions amount to rather than for what they say. */
export interface HermesHistory {
  /** Stays the same while nothing was written; nothing where that cannot be told yet. */
  readonly mark: () => string | undefined
  readonly sessions: (signal?: AbortSignal) => Promise<readonly CountedSession[]>
  /** How many sessions have an id that is no text, and are not among them. */
  readonly unnamed: () => Promise<number>
  /** The rows of sessions, one session after the other, in parts. */
  readonly rows: (
    sessions: readonly CountedSession[],
    signal?: AbortSignal,
  ) => AsyncIterable<readonly CountedPart[]>
  /** How many of the rows that were read are still there. */
  readonly left: (sessions: readonly ReadTo[]) => Promise<ReadonlyMap<string, number>>
  readonly close: () => void
}

/** Long enough to count what one slice read. */
const IDLE_MS = 100

/** An empty file, another program's database, or one of a version that names things otherwise: to count nothing in it would be wrong. */
class NoSessions extends Error {}

export const hermesFailure = (error: unknown, path: string): Failure =>
  error instanceof NoSessions
    ? failure('corrupt', `${path} has no sessions of ${OWNER} in it. Check the path, or start ${OWNER} once.`)
    : databaseFailureOf(error, path, OWNER)

export function hermesHistory(path: string): HermesHistory {
  const database = new SharedDatabase(path, historyStatements, { idleMs: IDLE_MS })
  return {
    mark: () => {
      const mark = markOf(path)
      return mark?.settled ? mark.text : undefined
    },
    sessions: (signal) => sessionsIn(database, signal),
    unnamed: () =>
      database.slice((statements) => Number(Object.values(statements?.unnamed.get() ?? {})[0] ?? 0)),
    rows: (sessions, signal) => countedRows(database, sessions, signal),
    left: (sessions) => rowsLeft(database, sessions),
    close: () => database.close(),
  }
}

/** Milliseconds, of any time that a calendar can tell: Hermes counts by the odd ones too. */
const momentOf = (seconds: number): number | null =>
  Math.abs(seconds) < 8.64e12 && seconds !== 0 ? Math.round(seconds * 1_000) : null

type Database = SharedDatabase<HistoryStatements>

interface Counted {
  readonly text: string
  readonly messages: number
  readonly newest: number | null
}

type SessionRow = readonly [
  id: string,
  source: SQLOutputValue,
  model: SQLOutputValue,
  title: SQLOutputValue,
  started: number | null,
  active: number | null,
  apart: bigint,
  ...changes: readonly SQLOutputValue[],
]

async function sessionsIn(database: Database, signal?: AbortSignal): Promise<readonly CountedSession[]> {
  const counts = await countsIn(database, signal)
  const found: CountedSession[] = []
  for (let after = '', more = true; more && !signal?.aborted; ) {
    const rows = await database.slice((statements, over) => {
      const rows: SessionRow[] = []
      more = false
      if (statements === undefined) throw new NoSessions()
      for (const row of statements.sessions.iterate(after)) {
        rows.push(row as unknown as SessionRow)
        more = over()
        if (more) break
      }
      return rows
    })
    for (const row of rows) {
      after = row[0]
      found.push(sessionOf(row, counts.get(row[0])))
    }
  }
  return found
}

function sessionOf(row: SessionRow, counted: Counted | undefined): CountedSession {
  const [id, source, model, title, started, active, apart] = row
  const newest = [active, counted?.newest ?? null].filter((one) => one !== null)
  const last = newest.length > 0 ? Math.max(...newest) : started
  return {
    id,
    source: columnText(source) ?? 'unknown',
    model: columnText(model),
    title: columnText(title),
    started_at: started === null ? null : momentOf(started),
    last_at: last === null ? null : momentOf(last),
    apart: apart === 1n,
    message_count: counted?.messages ?? 0,
    fingerprint: hash('sha1', `${row.join('\u0001')}\u0002${counted?.text ?? ''}`, 'base64url'),
  }
}

async function countsIn(
  database: Database,
  signal?: AbortSignal,
): Promise<ReadonlyMap<SQLInputValue, Counted>> {
  const counts = new Map<SQLInputValue, Counted>()
  for (let after: SQLInputValue = '', more = true; more && !signal?.aborted; ) {
    const from: SQLInputValue = after
    const { told, last } = await database.slice((statements, over) => {
      const told = new Map<SQLInputValue, Counted>()
      let last: SQLInputValue = null
      more = false
      for (const row of statements?.counts.iterate(from) ?? []) {
        const [session, state, count, ids, newest] = row as unknown as [SQLInputValue, ...SQLOutputValue[]]
        if (statements?.countsFlow && session !== last && last !== null && over()) {
          more = true
          break
        }
        const compacted = state === 1n ? '' : compactedOf(statements, session, state)
        const text = `${state}.${count}.${ids}${compacted}`
        told.set(session, together(told.get(session), text, Number(count), newest))
        last = session
      }
      return { told, last }
    })
    for (const [session, counted] of told) counts.set(session, counted)
    after = last
  }
  return counts
}

/** What compaction put away counts, and what was taken back does not: both are no longer active. */
function compactedOf(
  statements: HistoryStatements | undefined,
  session: SQLInputValue,
  state: SQLOutputValue | undefined,
): string {
  const found = statements?.compacted?.get(session, state ?? null)
  return found === undefined ? '' : `.${Object.values(found).join('.')}`
}

function together(
  before: Counted | undefined,
  text: string,
  count: number,
  newest: SQLOutputValue | undefined,
): Counted {
  const times = [before?.newest, newest].filter((time) => typeof time === 'number')
  return {
    text: `${before?.text ?? ''} ${text}`,
    messages: (before?.messages ?? 0) + count,
    newest: times.length > 0 ? Math.max(...times) : null,
  }
}

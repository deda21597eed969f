import { hash } from 'node:crypto'
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { toDatabaseFailure } from '../database/failures.ts'
import { databaseMark } from '../database/marks.ts'
import { SharedDatabase } from '../database/shared-database.ts'
import { columnText } from '../database/text.ts'
import { countedRows } from './history-rows.ts'
import { type HistoryStatements, historyStatements } from './history-statements.ts'
import { OWNER } from './state-database.ts'

/** A session in the way Hermes itself counts it. */
export interface CountedSession {
  readonly id: string
  readonly source: string
  readonly model: string | null
  readonly title: string | null
  /** The start in milliseconds since 1970. */
  readonly started_at: number | null
  readonly last_at: number | null
  /** Archived or hidden sessions, which Hermes does not count. */
  readonly apart: boolean
  readonly message_count: number
  /** Changes with all of the above and with the number and state of its messages. */
  readonly fingerprint: string
}

/** A counted row, with texts as they are stored. */
export type CountedRow = readonly [
  id: bigint,
  role: SQLOutputValue,
  content: SQLOutputValue,
  timestamp: SQLOutputValue,
  callId: SQLOutputValue,
  calls: SQLOutputValue,
  toolName: SQLOutputValue,
]

/** Rows of one session, or the corruption that prevents reading them. */
export interface CountedPart {
  /** The index in the requested list. */
  readonly at: number
  readonly rows: readonly CountedRow[]
  /** True when rows of the session may be copies of one another. */
  readonly repeats: boolean
  /** True when no more parts follow. */
  readonly ended: boolean
  /** True when earlier parts must be discarded, because reading restarted. */
  readonly again: boolean
  /** At the end, for a session without a title: the beginning of its first prompt. */
  readonly preview: string | null
  readonly failed: Failure | undefined
}

/** Reads totals rather than texts from one of Hermes' databases. */
export interface HermesHistory {
  /** Stays the same while nothing is written; undefined when that is not certain yet. */
  readonly mark: () => string | undefined
  readonly sessions: (signal?: AbortSignal) => Promise<readonly CountedSession[]>
  /** The number of sessions whose id is not text; they are not listed. */
  readonly unnamed: () => Promise<number>
  /** Reads the rows of sessions in parts, one session after the other. */
  readonly rows: (
    sessions: readonly CountedSession[],
    signal?: AbortSignal,
  ) => AsyncIterable<readonly CountedPart[]>
  /** Returns how many of the rows read before still exist. */
  readonly left: (sessions: readonly ReadTo[]) => Promise<ReadonlyMap<string, number>>
  readonly close: () => void
}

/** Long enough to count what one slice read. */
const IDLE_MS = 100

/** An empty file, a foreign database, or an unknown schema: counting nothing in it would be wrong. */
class NoSessions extends Error {}

export const hermesFailure = (error: unknown, path: string): Failure =>
  error instanceof NoSessions
    ? failure('corrupt', `${path} contains no ${OWNER} sessions. Check the path, or start ${OWNER} once.`)
    : toDatabaseFailure(error, path, OWNER)

export function hermesHistory(path: string): HermesHistory {
  const database = new SharedDatabase(path, historyStatements, { idleMs: IDLE_MS })
  return {
    mark: () => {
      const mark = databaseMark(path)
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

/** Converts seconds to milliseconds for any valid date, because Hermes also counts unusual ones. */
const toMillis = (seconds: number): number | null =>
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
      found.push(toSession(row, counts.get(row[0])))
    }
  }
  return found
}

function toSession(row: SessionRow, counted: Counted | undefined): CountedSession {
  const [id, source, model, title, started, active, apart] = row
  const newest = [active, counted?.newest ?? null].filter((one) => one !== null)
  const last = newest.length > 0 ? Math.max(...newest) : started
  return {
    id,
    source: columnText(source) ?? 'unknown',
    model: columnText(model),
    title: columnText(title),
    started_at: started === null ? null : toMillis(started),
    last_at: last === null ? null : toMillis(last),
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
    const { counts: bySession, last } = await database.slice((statements, over) => {
      const bySession = new Map<SQLInputValue, Counted>()
      let last: SQLInputValue = null
      more = false
      for (const row of statements?.counts.iterate(from) ?? []) {
        const [session, state, count, ids, newest] = row as unknown as [SQLInputValue, ...SQLOutputValue[]]
        if (statements?.countsFlow && session !== last && last !== null && over()) {
          more = true
          break
        }
        const compacted = state === 1n ? '' : compactedMark(statements, session, state)
        const text = `${state}.${count}.${ids}${compacted}`
        bySession.set(session, mergeCounts(bySession.get(session), text, Number(count), newest))
        last = session
      }
      return { counts: bySession, last }
    })
    for (const [session, counted] of bySession) counts.set(session, counted)
    after = last
  }
  return counts
}

/** Messages archived by compaction count and rewound ones do not, although both are inactive. */
function compactedMark(
  statements: HistoryStatements | undefined,
  session: SQLInputValue,
  state: SQLOutputValue | undefined,
): string {
  const found = statements?.compacted?.get(session, state ?? null)
  return found === undefined ? '' : `.${Object.values(found).join('.')}`
}

function mergeCounts(
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

/** A session and the newest row read from it. */
interface ReadTo {
  readonly id: string
  readonly last: number
}

/** Counts the rows up to the newest one read that still exist, in any state. */
async function rowsLeft(
  database: SharedDatabase<HistoryStatements>,
  sessions: readonly ReadTo[],
): Promise<ReadonlyMap<string, number>> {
  const left = new Map<string, number>()
  while (left.size < sessions.length) {
    const from = left.size
    const counted = await database.slice((statements, over) => {
      const counted: (readonly [string, number])[] = []
      for (const { id, last } of sessions.slice(from)) {
        const [count] = (statements?.left.get(id, last) ?? []) as unknown as readonly bigint[]
        counted.push([id, Number(count ?? 0)])
        if (over()) break
      }
      return counted
    })
    for (const [id, count] of counted) left.set(id, count)
  }
  return left
}

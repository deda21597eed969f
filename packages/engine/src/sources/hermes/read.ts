import type { SQLOutputValue } from 'node:sqlite'
import type { Message } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { toDatabaseFailure } from '../database/failures.ts'
import type { Listed, SessionRecord } from '../port.ts'
import { Copies, copiesIn } from './copies.ts'
import { formatPlace, placed } from './places.ts'
import { MAIN, type Row, toMessage } from './row.ts'
import { About } from './session-metadata.ts'
import { OWNER, type StateDatabase } from './state-database.ts'
import { ROWS_A_SLICE } from './statements.ts'

/** The limit of text held in memory, in characters. */
const MOST_HELD = 4_194_304

/** Reads a session of a database. */
export async function* readSession(
  database: StateDatabase,
  listed: Listed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  const { path, id } = placed(listed.place)
  try {
    let part = await partAfter(database, id, BEFORE_ALL)
    const about = part.session && new About(part.session, part.auxiliary)
    if (about === undefined) {
      yield { kind: 'failed', failure: failure('not_found', `${listed.place} no longer exists.`) }
      return
    }
    const copies = mayHaveCopies(part) ? await copiesIn(database, id) : new Copies(database, id)
    yield { kind: 'agent', agent: { ...NOBODY, id: MAIN } }
    for (;;) {
      const last = part.rows.at(-1)
      if (last !== undefined) await copies.compareTo(last[0])
      for (const row of part.rows) {
        if (copies.has(row[0])) continue
        const { message, problem } = toMessage(row, listed.id, about.model)
        if (message !== undefined) {
          about.addMessage(message)
          yield { kind: 'message', message }
        }
        if (problem !== undefined)
          yield { kind: 'skipped', place: formatPlace(path, `${id}:${row[0]}`), reason: problem }
      }
      if (!part.more || last === undefined || signal?.aborted) break
      part = await partAfter(database, id, last[0])
    }
    if (!signal?.aborted) yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: toDatabaseFailure(error, path, OWNER) }
  }
}

/** Finds messages of a session by their ids. */
export async function findMessages(
  database: StateDatabase,
  listed: Listed,
  ids: readonly string[],
): Promise<readonly Message[]> {
  const { id } = placed(listed.place)
  try {
    const { session, rows } = await database.slice((statements) => ({
      session: statements?.session.get(id) as unknown as readonly SQLOutputValue[] | undefined,
      rows: ids.map((each) => statements?.message.get(each, id) as unknown as Row | undefined),
    }))
    if (session === undefined) return []
    const { model } = new About(session)
    return rows.flatMap((row) => (row && toMessage(row, listed.id, model).message) ?? [])
  } catch {
    return []
  }
}

const BEFORE_ALL = -(2n ** 63n)
/** The index of the column that says whether the row counts. */
const STATE = 7
const NOBODY = { parent_id: null, subagent_type: null, description: null, tool_use_id: null }

interface Part {
  /** The session's own row, in the first part only. */
  readonly session: readonly SQLOutputValue[] | undefined
  readonly auxiliary: readonly (readonly SQLOutputValue[])[]
  readonly rows: readonly Row[]
  readonly more: boolean
}

/** When all rows are active there are no copies, and most sessions fit in the first part. */
const mayHaveCopies = ({ rows, more }: Part): boolean =>
  more || rows.some(({ [STATE]: state }) => state === 'compacted' || state === 'rewound')

const partAfter = (database: StateDatabase, id: string, after: bigint): Promise<Part> =>
  database.slice((statements, over) => {
    const isFirst = after === BEFORE_ALL
    const session = isFirst ? statements?.session.get(id) : undefined
    const auxiliary = (isFirst ? (statements?.auxiliary?.all(id) ?? []) : []) as unknown as Part['auxiliary']
    const rows: Row[] = []
    let held = 0
    let more = false
    for (const each of statements?.messages.iterate(id, after) ?? []) {
      const row = each as unknown as Row
      rows.push(row)
      held += valueLength(row[2]) + valueLength(row[4])
      more = rows.length === ROWS_A_SLICE || held > MOST_HELD || over()
      if (more) break
    }
    return { session: session as unknown as readonly SQLOutputValue[] | undefined, auxiliary, rows, more }
  })

const valueLength = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 0

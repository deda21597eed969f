import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { failure } from '@panoptes/schema/result'
import type { Listed, SessionRecord } from '../port.ts'
import { About } from './about.ts'
import { stateFailureOf } from './failures.ts'
import { placed, placeOf } from './places.ts'
import { MAIN, messageOf, type Row } from './row.ts'
import type { StateDatabase } from './state-database.ts'

/** What is held at a time, in characters. */
const MOST_HELD = 4_194_304

/** Reads a session of a database. */
export async function* readSession(
  database: StateDatabase,
  listed: Listed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  const { path, id } = placed(listed.place)
  try {
    const about = await aboutOf(database, id)
    if (about === undefined) {
      yield { kind: 'failed', failure: failure('not_found', `${listed.place} is no longer there.`) }
      return
    }
    yield {
      kind: 'agent',
      agent: { id: MAIN, parent_id: null, subagent_type: null, description: null, tool_use_id: null },
    }
    for (let after: bigint | null = BEFORE_ALL; after !== null && !signal?.aborted; ) {
      const rows: readonly Row[] = await rowsAfter(database, id, after)
      after = rows.at(-1)?.[0] ?? null
      for (const row of rows) {
        const { message, problem } = messageOf(row, listed.id, about.model)
        if (message !== undefined) {
          about.met(message)
          yield { kind: 'message', message }
        }
        if (problem !== undefined)
          yield { kind: 'skipped', place: placeOf(path, `${id}:${row[0]}`), reason: problem }
      }
    }
    if (!signal?.aborted) yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: stateFailureOf(error, path) }
  }
}

const BEFORE_ALL = -(2n ** 63n)

const aboutOf = (database: StateDatabase, id: string): Promise<About | undefined> =>
  database.slice((statements) => {
    const row = statements?.session.get(id) as unknown as readonly SQLOutputValue[] | undefined
    return row && new About(row)
  })

const rowsAfter = (database: StateDatabase, id: SQLInputValue, after: bigint): Promise<readonly Row[]> =>
  database.slice((statements, over) => {
    const rows: Row[] = []
    let held = 0
    for (const each of statements?.messages.iterate(id, after) ?? []) {
      const row = each as unknown as Row
      rows.push(row)
      held += lengthOf(row[2]) + lengthOf(row[4])
      if (held > MOST_HELD || over()) break
    }
    return rows
  })

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 0

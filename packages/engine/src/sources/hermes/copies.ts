import { hash } from 'node:crypto'
import type { SQLOutputValue } from 'node:sqlite'
import { columnText } from '../database/text.ts'
import { callsOf } from './calls.ts'
import type { Row } from './row.ts'
import type { StateDatabase } from './state-database.ts'
import { ROWS_A_SLICE } from './statements.ts'

type State = readonly [id: bigint, time: number | null, rank: bigint]

const ACTIVE = 2n

/**
 * Compaction writes what stays anew and keeps the old rows, and so does the next one: the ids of those that another row says once
 * more. Of equal ones the active count; where none is, the first that compaction put away, or else the first.
 */
export class Copies {
  readonly #database: StateDatabase
  readonly #session: string
  /** Rows of one time, by the first of them; those of another time are never equal to them. */
  readonly #waiting: (readonly State[])[]
  readonly #copies = new Set<bigint>()

  constructor(database: StateDatabase, session: string, sameTimes: readonly (readonly State[])[] = []) {
    this.#database = database
    this.#session = session
    this.#waiting = sameTimes.toReversed()
  }

  has(id: bigint): boolean {
    return this.#copies.has(id)
  }

  /** Compares the rows up to this one with all others. Whoever reads no further does not pay for the rest. */
  async compareTo(id: bigint): Promise<void> {
    const states: State[] = []
    for (let next = this.#waiting.at(-1); next?.[0] && next[0][0] <= id; next = this.#waiting.at(-1)) {
      states.push(...next)
      this.#waiting.pop()
    }
    const best = new Map<string, State>()
    for await (const [key, state] of keyed(this.#database, this.#session, states)) {
      const other = best.get(key)
      if (other === undefined || state[2] > other[2]) best.set(key, state)
      const worse = other === undefined || state[2] <= other[2] ? state : other
      if (other !== undefined && worse[2] !== ACTIVE) this.#copies.add(worse[0])
    }
  }
}

export async function copiesIn(database: StateDatabase, session: string): Promise<Copies> {
  const some = await database.slice((statements) => statements?.inactive?.get(session) !== undefined)
  return new Copies(database, session, some ? await sameTimes(database, session) : [])
}

/** Those that share their time with another, one of them not active: no others can be equal. */
async function sameTimes(database: StateDatabase, session: string): Promise<readonly (readonly State[])[]> {
  const times = new Map<number, State[]>()
  for (let after = BEFORE_ALL, more = true; more; ) {
    const rows = await database.slice(
      (statements) => (statements?.states.all(session, after) ?? []) as unknown as readonly State[],
    )
    for (const row of rows) {
      if (row[1] === null) continue
      const same = times.get(row[1])
      if (same === undefined) times.set(row[1], [row])
      else same.push(row)
    }
    after = rows.at(-1)?.[0] ?? after
    more = rows.length === ROWS_A_SLICE
  }
  return [...times.values()].filter((same) => same.length > 1 && same.some(([, , rank]) => rank !== ACTIVE))
}

const BEFORE_ALL = -(2n ** 63n)

/** Each with what makes it equal to another. */
async function* keyed(
  database: StateDatabase,
  session: string,
  states: readonly State[],
): AsyncGenerator<readonly [key: string, state: State]> {
  for (let at = 0; at < states.length; ) {
    const part = await database.slice((statements, over) => {
      const keys: (readonly [string, State])[] = []
      for (const state of states.slice(at, at + ROWS_A_SLICE)) {
        const row = statements?.message.get(state[0], session) as unknown as Row | undefined
        keys.push([row === undefined ? `gone ${state[0]}` : keyOf(row), state])
        if (over()) break
      }
      return keys
    })
    yield* part
    at += part.length
  }
}

function keyOf([, role, content, callId, calls, , time]: Row): string {
  const said = [role, time, callId, idsIn(calls), textIn(content)].map((value) => String(value ?? ''))
  return hash('sha256', JSON.stringify(said), 'base64url')
}

/** The ids of the calls; all that is there where they have none. */
function idsIn(calls: SQLOutputValue): string {
  const text = textIn(calls)
  const ids = (callsOf(text) ?? []).map((call) => (call.type === 'tool_call' ? call.id : ''))
  return ids.length > 0 && ids.every((id) => id !== '') ? JSON.stringify(ids) : text
}

/** The length of a text that is too long stands in its place. */
const textIn = (value: SQLOutputValue): string =>
  typeof value === 'bigint' ? `${value} bytes` : (columnText(value) ?? '')

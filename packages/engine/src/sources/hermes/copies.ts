import { hash } from 'node:crypto'
import type { SQLOutputValue } from 'node:sqlite'
import { columnText } from '../database/text.ts'
import { parseCalls } from './calls.ts'
import type { Row } from './row.ts'
import type { StateDatabase } from './state-database.ts'
import { ROWS_A_SLICE } from './statements.ts'

type State = readonly [id: bigint, time: number | null, rank: bigint]

const ACTIVE = 2n

/**
 * Finds messages that compaction copied. Each compaction rewrites what remains and keeps the old rows. Of
 * equal rows the active one counts; if none is active, the first that compaction archived, or else the first.
 */
export class Copies {
  readonly #database: StateDatabase
  readonly #session: string
  /** Rows with the same time, by the first of them. Rows with different times are never equal. */
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

  /**
   * Compares the rows up to this one with all others. A reader that stops early does not pay for the rest.
   */
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

/**
 * Returns rows that share their time with another and include an inactive one. No other rows can be equal.
 */
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

/** Yields each row with the key that makes it equal to another. */
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
        keys.push([row === undefined ? `gone ${state[0]}` : messageKey(row), state])
        if (over()) break
      }
      return keys
    })
    yield* part
    at += part.length
  }
}

function messageKey([, role, content, callId, calls, , time]: Row): string {
  const fields = [role, time, callId, idsIn(calls), textIn(content)].map((value) => String(value ?? ''))
  return hash('sha256', JSON.stringify(fields), 'base64url')
}

/** Returns the ids of the calls, or the whole value when they have none. */
function idsIn(calls: SQLOutputValue): string {
  const text = textIn(calls)
  const ids = (parseCalls(text) ?? []).map((call) => (call.type === 'tool_call' ? call.id : ''))
  return ids.length > 0 && ids.every((id) => id !== '') ? JSON.stringify(ids) : text
}

/** The statement returns the length in place of a text that is too long. */
const textIn = (value: SQLOutputValue): string =>
  typeof value === 'bigint' ? `${value} bytes` : (columnText(value) ?? '')

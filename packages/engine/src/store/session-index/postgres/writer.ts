import { Refused } from '@panoptes/engine/worker-rpc'
import type { Result, Spent } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { type Cell, copyInto } from '../../postgres/copy.ts'
import type { Connection, Database } from '../../postgres/database.ts'
import { textSize } from '../batches.ts'
import { compressFold } from '../fold-rows.ts'
import type { IndexBatch, IndexChange } from '../port.ts'
import { MOST_MESSAGES } from '../schema.ts'
import { SPENT } from '../stats.ts'
import type { Owner } from '../write-transaction.ts'
import { copyWords } from './copy-words.ts'
import { merge, toMerge } from './merge.ts'
import { Pending, type SessionRow } from './pending-changes.ts'
import { readState, type State } from './state.ts'

/**
 * A commit is worth its cost once this many characters are held. Smaller changes are written after `MOST_MS`,
 * so that they become visible.
 */
const MOST_HELD = 4_194_304
const MOST_MS = 1_000

type Answer = <T>(work: () => Promise<T>) => Promise<Result<T>>

/**
 * Writes the index, one operation after another. Changes are held in memory and written together. Before it
 * writes, it notices whether another process has written meanwhile; then the held changes are lost and the
 * state is read again.
 */
export class IndexWriter {
  readonly #database: Database
  readonly #answer: Answer
  readonly #messagesAPart: number | undefined
  readonly #owners = new Set<Owner>()
  readonly #open = new Map<string, SessionRow>()
  #state: State | undefined
  #pending: Pending | undefined
  #size = 0
  #since = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(database: Database, answer: Answer, messagesAPart?: number) {
    this.#messagesAPart = messagesAPart
    this.#database = database
    this.#answer = answer
  }

  readonly batch = (): IndexBatch => {
    const owner: Owner = { lost: false }
    const unlessLost = (work: () => Promise<void>) =>
      this.#inTurn(async () => {
        if (owner.lost) throw new Error('an earlier write to the session index failed')
        await work()
        return null
      })
    return {
      add: (list) => unlessLost(() => this.#orLost(() => this.#add(owner, list))),
      end: () => unlessLost(() => this.#orLost(() => this.#commit())),
    }
  }

  commit(): Promise<Result<null>> {
    return this.#inTurn(() =>
      this.#orLost(async () => {
        await this.#commit()
        return null
      }),
    )
  }

  /** Writes the held changes and then runs other work in a transaction that no other writer can interrupt. */
  runAlone<T>(work: (connection: Connection, state: State) => Promise<T>): Promise<Result<T>> {
    return this.#inTurn(() =>
      this.#orLost(async () => {
        await this.#commit()
        return this.#write(await this.#ready(), work)
      }),
    )
  }

  #inTurn<T>(work: () => Promise<T>): Promise<Result<T>> {
    const own = this.#turn.then(() => this.#answer(work))
    this.#turn = own
    return own
  }

  async #add(owner: Owner, list: readonly IndexChange[]): Promise<void> {
    if (list.length === 0) return
    const state = await this.#ready()
    if (this.#owners.size === 0) this.#since = performance.now()
    this.#owners.add(owner)
    this.#pending ??= new Pending(state, this.#open)
    this.#pending.write(list)
    this.#size += textSize(list)
    if (this.#size >= MOST_HELD || performance.now() - this.#since >= MOST_MS) await this.#commit()
  }

  async #ready(): Promise<State> {
    const isHeld = this.#pending !== undefined || this.#open.size > 0
    if (this.#state !== undefined && !isHeld) {
      const about = await this.#database.row('SELECT turn FROM index_about')
      if (about?.turn !== this.#state.turn) this.#state = undefined
    }
    this.#state ??= await this.#database.snapshot((connection) => readState(connection, this.#messagesAPart))
    return this.#state
  }

  async #commit(): Promise<void> {
    const pending = this.#pending
    if (pending !== undefined) {
      const state = await this.#ready()
      await this.#write(state, (connection) => flush(connection, state, pending))
      for (const row of pending.rows.values()) {
        row.isStored = true
        row.packs = []
      }
      this.#pending = undefined
      await this.#merge(state, pending.words.keys())
    }
    this.#owners.clear()
    this.#size = 0
  }

  async #merge(state: State, parts: Iterable<number>): Promise<void> {
    for (const part of parts)
      for (let segments = toMerge(state, part); segments.length > 0; segments = toMerge(state, part))
        await this.#write(state, (connection) => merge(connection, state, part, segments))
  }

  async #write<T>(state: State, work: (connection: Connection, state: State) => Promise<T>): Promise<T> {
    const done = await this.#database.transaction(async (connection) => {
      const taken = await connection.run(
        'UPDATE index_about SET turn = turn + 1, last = $2 WHERE turn = $1',
        [state.turn, state.last],
      )
      if (taken === 0)
        throw new Refused(failure('busy', 'Another hub changed the session index. Try again in a moment.'))
      return work(connection, state)
    })
    state.turn += 1
    return done
  }

  /** Discards all held changes when the work fails. */
  async #orLost<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      for (const owner of this.#owners) owner.lost = true
      this.#owners.clear()
      this.#size = 0
      this.#open.clear()
      this.#pending = undefined
      this.#state = undefined
      throw error
    }
  }
}

/** Writes the pending changes within the caller's transaction. */
async function flush(connection: Connection, state: State, pending: Pending): Promise<void> {
  const { changed, gone } = state.parts.takeChanges()
  await deleteDead(connection, pending, gone)
  const rows = [...pending.rows.values()]
  await copy(connection, SESSIONS, rows.filter(({ isStored }) => !isStored).map(sessionCells))
  for (const row of rows) if (row.isStored) await updateSession(connection, row)
  await copy(connection, 'index_messages (session, first, roles, doc)', rows.flatMap(packCells))
  const ended = rows.filter((row) => row.ended !== undefined)
  await copy(connection, 'index_agents (session, id, doc, messages, spent)', ended.flatMap(agentCells))
  await copy(connection, 'index_tools (session, tool, calls, errors)', ended.flatMap(toolCells))
  await copy(
    connection,
    'index_models (session, model, messages, tool_calls, errors, spent)',
    ended.flatMap(modelCells),
  )
  await writeFolds(connection, pending)
  if (changed.length > 0)
    await connection.run(UPSERT_PARTS, [
      changed.map(({ number }) => number),
      changed.map(({ newest }) => newest),
      changed.map(({ rising }) => rising),
      changed.map(({ torn }) => torn),
      changed.map(({ messages }) => messages),
      changed.map(({ rows }) => rows),
      changed.map(({ tokens }) => tokens),
    ])
  const isThere = (message: number) => state.live.has(Math.floor(message / MOST_MESSAGES))
  for (const [part, words] of pending.words) {
    const { nextSegment: segment } = state.parts.of(part)
    await copyWords(connection, part, segment, words.packed(isThere))
    await connection.run('INSERT INTO index_segments VALUES ($1, $2, $3)', [part, segment, words.tokens])
    state.parts.addSegment(part, { segment, tokens: words.tokens })
  }
}

async function writeFolds(connection: Connection, { folds }: Pending): Promise<void> {
  if (folds.size === 0) return
  const rows = [...folds.values()].flatMap(({ source, id, rows: own }) =>
    own.map(
      ({ fold, version, listed, doc }) => [fold, source, id, version, listed, compressFold(doc)] as const,
    ),
  )
  const column = (at: number) => rows.map((row) => row[at])
  await connection.run(
    `DELETE FROM index_folds WHERE (fold, source, id) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))`,
    [column(0), column(1), column(2)],
  )
  await connection.run(
    `INSERT INTO index_folds SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[])`,
    [0, 1, 2, 3, 4, 5].map(column),
  )
}

const SESSIONS = `index_sessions (number, source, id, place, part, worded, fingerprint, project, last_at, messages, tool_calls,
  errors, cost_micro_usd, spent, doc)`

const UPSERT_PARTS = `
  INSERT INTO index_parts (number, newest, rising, torn, messages, rows, tokens)
    SELECT * FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::boolean[], $5::bigint[], $6::bigint[], $7::bigint[])
  ON CONFLICT (number) DO UPDATE SET newest = excluded.newest, rising = excluded.rising, torn = excluded.torn,
    messages = excluded.messages, rows = excluded.rows, tokens = excluded.tokens`

async function deleteDead({ run }: Connection, pending: Pending, gone: readonly number[]): Promise<void> {
  if (pending.dead.length > 0) {
    await run('DELETE FROM index_sessions WHERE number = ANY($1)', [pending.dead])
    for (const table of ['index_agents', 'index_tools', 'index_models', 'index_messages'])
      await run(`DELETE FROM ${table} WHERE session = ANY($1)`, [pending.dead])
  }
  if (pending.notAged.size > 0)
    await run(
      'DELETE FROM index_aged WHERE (source, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))',
      [0, 1].map((at) => [...pending.notAged.values()].map((name) => name[at])),
    )
  if (gone.length === 0) return
  await run('DELETE FROM index_parts WHERE number = ANY($1)', [gone])
  for (const table of ['index_segments', 'index_words'])
    await run(`DELETE FROM ${table} WHERE part = ANY($1)`, [gone])
}

async function copy(
  connection: Connection,
  table: string,
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  if (rows.length > 0) await copyInto(connection, table, rows)
}

/** A session has one more element: what its client spent outside the transcript. */
const spentArray = (spent: Spent, ...more: readonly (number | null)[]): string =>
  `{${[...SPENT.map((field) => spent[field]), ...more].map((value) => value ?? 'NULL').join(',')}}`

/** Returns the columns that are known when a session ended. */
function sessionEndCells({ ended, gathered }: SessionRow): readonly Cell[] {
  if (ended === undefined) return [null, null, null, 0, 0, 0, 0, null, null]
  const { session, spent, doc } = ended
  return [
    session.fingerprint,
    session.project,
    session.last_at,
    gathered.messages,
    gathered.tool_calls,
    gathered.errors,
    spent.cost_micro_usd,
    spentArray(spent, doc.outside_micro_usd),
    JSON.stringify(doc),
  ]
}

const sessionCells = (row: SessionRow): readonly Cell[] => [
  ...[row.stored.number, row.source, row.id, row.place, row.stored.part, row.stored.worded],
  ...sessionEndCells(row),
]

const updateSession = ({ run }: Connection, row: SessionRow): Promise<number> =>
  run(
    `UPDATE index_sessions SET worded = $2, fingerprint = $3, project = $4, last_at = $5, messages = $6, tool_calls = $7,
       errors = $8, cost_micro_usd = $9, spent = $10, doc = $11 WHERE number = $1`,
    [row.stored.number, row.stored.worded, ...sessionEndCells(row)],
  )

const packCells = ({ stored, packs }: SessionRow): readonly (readonly Cell[])[] =>
  packs.map(({ first, roles, doc }) => [stored.number, first, roles, doc])

const agentCells = ({ stored, agents, ended }: SessionRow): readonly (readonly Cell[])[] =>
  [...agents].map(([id, agent]) => {
    const own = ended?.agents.get(id)
    return [
      stored.number,
      id,
      JSON.stringify(agent),
      own?.messages ?? 0,
      own ? JSON.stringify(own.spent) : null,
    ]
  })

const toolCells = ({ stored, gathered }: SessionRow): readonly (readonly Cell[])[] =>
  [...gathered.tools].map(([tool, own]) => [stored.number, tool, own.calls, own.errors])

const modelCells = ({ stored, ended }: SessionRow): readonly (readonly Cell[])[] =>
  [...(ended?.models ?? [])].map(([model, own]) => [
    ...[stored.number, model, own.messages, own.tool_calls, own.errors],
    spentArray(own.spent),
  ])

import type { SQLOutputValue } from 'node:sqlite'
import type { Message } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { databaseFailureOf } from '../database/failures.ts'
import type { SharedDatabase } from '../database/shared-database.ts'
import type { Listed, SessionRecord } from '../port.ts'
import { About } from './about.ts'
import { MAIN, messageOf, type Told } from './message.ts'
import type { Statements } from './statements.ts'

/** What is held at a time, in characters and in rows. */
const MOST_HELD = 4_194_304
const MOST_ROWS = 1_000

const OWNER = 'Panoptes'
const NOBODY = { parent_id: null, subagent_type: null, description: null, tool_use_id: null }

type Row = readonly [number: bigint, doc: SQLOutputValue]
/** A message that others took the place of, and where it stood. */
type Replaced = readonly [number: bigint, at: bigint]

/** Reads a conversation; what others took the place of stands before them. */
export async function* readConversation(
  database: SharedDatabase<Statements>,
  listed: Listed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  const { id, place } = listed
  try {
    const { doc, replaced } = await database.slice((statements) => ({
      doc: (statements?.session.get(id) as unknown as readonly [SQLOutputValue] | undefined)?.[0],
      replaced: (statements?.replaced.all(id) ?? []) as unknown as readonly Replaced[],
    }))
    if (doc === undefined) {
      yield { kind: 'failed', failure: failure('not_found', `${place} is no longer there.`) }
      return
    }
    const about = new About(doc)
    const waiting = [...replaced]
    let copied = 0
    const told = function* (row: Row, state: Message['state']): Generator<SessionRecord> {
      const one = messageOf(row[1], {
        session: id,
        running: about.running,
        first: about.first,
        state,
      })
      if (one.copy) copied += 1
      if (one.model !== undefined) about.answered(one.model)
      if (one.problem !== undefined)
        yield { kind: 'skipped', place: `${place}:${row[0]}`, reason: one.problem }
      yield* recordsOf(one)
    }
    const before = async function* (number: bigint): AsyncGenerator<SessionRecord> {
      for (let next = waiting[0]; next !== undefined && next[1] <= number; next = waiting[0]) {
        waiting.shift()
        const [at] = next
        const row = await database.slice((statements) => statements?.replacedMessage.get(at))
        if (row !== undefined) yield* told(row as unknown as Row, 'rewound')
      }
    }
    yield { kind: 'agent', agent: { ...NOBODY, id: MAIN } }
    for (let after: bigint | undefined = -1n; after !== undefined && !signal?.aborted; ) {
      const { rows, more } = await rowsAfter(database, id, after)
      for (const row of rows) {
        yield* before(row[0])
        yield* told(row, 'active')
      }
      after = more ? rows.at(-1)?.[0] : undefined
    }
    if (signal?.aborted) return
    yield* before(LAST)
    if (copied > 0)
      yield { kind: 'skipped', place, reason: `has ${copied} messages of the session it was forked from` }
    yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: databaseFailureOf(error, database.path, OWNER) }
  }
}

const LAST = 2n ** 63n - 1n

/** An answer after the agents that worked for it. */
function* recordsOf({ message, parts = [] }: Told): Generator<SessionRecord> {
  if (message === undefined) return
  for (const { agent, model, text, usage, cost_micro_usd } of parts) {
    yield { kind: 'agent', agent }
    const content = text === null ? [] : [{ type: 'text' as const, text }]
    const id = `${message.id}:${agent.id}`
    yield {
      kind: 'message',
      message: {
        ...message,
        worker: undefined,
        id,
        agent_id: agent.id,
        model,
        content,
        usage,
        cost_micro_usd,
      },
    }
  }
  yield { kind: 'message', message }
}

/** Some messages of a conversation, by their ids. */
export async function findMessages(
  database: SharedDatabase<Statements>,
  { id: session }: Listed,
  ids: readonly string[],
): Promise<readonly Message[]> {
  try {
    const rows = await database.slice((statements) =>
      ids.map(
        (id) =>
          statements?.message.get(id, session) as unknown as readonly [SQLOutputValue, bigint] | undefined,
      ),
    )
    return rows.flatMap((row) => {
      const state = row?.[1] === 1n ? ('rewound' as const) : ('active' as const)
      return (row && messageOf(row[0], { session, running: null, first: null, state }).message) ?? []
    })
  } catch {
    return []
  }
}

const rowsAfter = (database: SharedDatabase<Statements>, id: string, after: bigint) =>
  database.slice((statements, over) => {
    const rows: Row[] = []
    let held = 0
    for (const each of statements?.messages.iterate(id, after) ?? []) {
      const row = each as unknown as Row
      rows.push(row)
      held += typeof row[1] === 'string' ? row[1].length : 0
      if (rows.length === MOST_ROWS || held > MOST_HELD || over()) return { rows, more: true }
    }
    return { rows, more: false }
  })

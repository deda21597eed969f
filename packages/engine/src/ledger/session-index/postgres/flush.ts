import type { Spent } from '@panoptes/schema'
import { type Cell, copyInto } from '../../postgres/copy.ts'
import type { Connection } from '../../postgres/database.ts'
import { MOST_MESSAGES } from '../schema.ts'
import { SPENT } from '../stats.ts'
import { copyWords } from './copy-words.ts'
import type { Pending, SessionRow } from './pending.ts'
import type { State } from './state.ts'

/** Writes what is pending, in a transaction of the caller's. */
export async function flush(connection: Connection, state: State, pending: Pending): Promise<void> {
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

const spentArray = (spent: Spent): string => `{${SPENT.map((field) => spent[field]).join(',')}}`

/** What is told of it when it ended. */
function endedCells({ ended, gathered }: SessionRow): readonly Cell[] {
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
    spentArray(spent),
    JSON.stringify(doc),
  ]
}

const sessionCells = (row: SessionRow): readonly Cell[] => [
  ...[row.kept.number, row.source, row.id, row.place, row.kept.part, row.kept.worded],
  ...endedCells(row),
]

const updateSession = ({ run }: Connection, row: SessionRow): Promise<number> =>
  run(
    `UPDATE index_sessions SET worded = $2, fingerprint = $3, project = $4, last_at = $5, messages = $6, tool_calls = $7,
       errors = $8, cost_micro_usd = $9, spent = $10, doc = $11 WHERE number = $1`,
    [row.kept.number, row.kept.worded, ...endedCells(row)],
  )

const packCells = ({ kept, packs }: SessionRow): readonly (readonly Cell[])[] =>
  packs.map(({ first, roles, doc }) => [kept.number, first, roles, doc])

const agentCells = ({ kept, agents, ended }: SessionRow): readonly (readonly Cell[])[] =>
  [...agents].map(([id, agent]) => {
    const own = ended?.agents.get(id)
    return [
      kept.number,
      id,
      JSON.stringify(agent),
      own?.messages ?? 0,
      own ? JSON.stringify(own.spent) : null,
    ]
  })

const toolCells = ({ kept, gathered }: SessionRow): readonly (readonly Cell[])[] =>
  [...gathered.tools].map(([tool, own]) => [kept.number, tool, own.calls, own.errors])

const modelCells = ({ kept, ended }: SessionRow): readonly (readonly Cell[])[] =>
  [...(ended?.models ?? [])].map(([model, own]) => [
    ...[kept.number, model, own.messages, own.tool_calls, own.errors],
    spentArray(own.spent),
  ])

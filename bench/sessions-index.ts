import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSessions, type Sessions } from '@panoptes/engine/sessions'
import type { Result } from '@panoptes/schema'
import { interleaved, median } from './figures.ts'
import type { History } from './sessions-data.ts'

/** What the index reads of a message. */
const COLUMNS = `id, role, content, tool_call_id, tool_calls, tool_name, timestamp, active, compacted, observed, display_kind,
  _compressed_summary, reasoning_content, reasoning, reasoning_details, codex_reasoning_items, codex_message_items`

/** Seconds to read rows and throw them away. */
function read(file: string, how: 'columns' | 'rows'): number {
  const start = performance.now()
  const db = new DatabaseSync(file, { readOnly: true })
  for (const table of ['sessions', 'messages']) {
    const statement = db.prepare(
      how === 'rows' || table === 'sessions' ? `SELECT * FROM ${table}` : `SELECT ${COLUMNS} FROM ${table}`,
    )
    statement.setReturnArrays(how === 'columns')
    for (const row of statement.iterate()) void row
  }
  db.close()
  return (performance.now() - start) / 1_000
}

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

export interface FirstIndex {
  readonly seconds: number
  /** The same rows with the columns that are indexed, and whole. */
  readonly floor: number
  readonly wholeRows: number
  readonly index_mb: number
}

/** Makes the index anew, on the threads on which it is made in the daemon. */
export async function firstIndex(history: History, folder: string, rounds: number): Promise<FirstIndex> {
  const file = join(folder, 'index.db')
  const seconds = await interleaved(rounds, {
    index: () => made(history, file),
    floor: () => read(history.file, 'columns'),
    wholeRows: () => read(history.file, 'rows'),
  })
  const { index, floor, wholeRows } = seconds
  return { seconds: index, floor, wholeRows, index_mb: statSync(file).size / 1_048_576 }
}

async function made(history: History, file: string): Promise<number> {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  const sessions = await opened(history, file)
  const start = performance.now()
  value(await sessions.refresh())
  const seconds = (performance.now() - start) / 1_000
  const [status] = sessions.status().filter(({ source }) => source === 'hermes')
  await sessions.close()
  if (status?.done !== history.sessions)
    throw new Error(`${status?.done} sessions were read: ${status?.problem}`)
  return seconds
}

const opened = async (history: History, file: string): Promise<Sessions> =>
  value(await openSessions({ file, env: { HOME: '/nonexistent', HERMES_HOME: history.home } }))

export interface Refreshes {
  /** Milliseconds: nothing was written, something that is no session's, and one message. */
  readonly nothing: number
  readonly touched: number
  readonly one: number
}

/** Of a database that was written to just now its time of change says nothing: wait until it does. */
const SETTLED_MS = 300

/** Refreshes of the index that `firstIndex` left. */
export async function refreshes(history: History, folder: string, rounds: number): Promise<Refreshes> {
  const sessions = await opened(history, join(folder, 'index.db'))
  const db = new DatabaseSync(history.file)
  const ids = db.prepare('SELECT id FROM sessions ORDER BY started_at').all()
  const add = db.prepare(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
  )
  const times = { nothing: [] as number[], touched: [] as number[], one: [] as number[] }
  const timed = async (what: keyof typeof times, read: number) => {
    const start = performance.now()
    value(await sessions.refresh())
    times[what].push(performance.now() - start)
    const total = sessions.status().find(({ source }) => source === 'hermes')?.total
    if (total !== read) throw new Error(`${total} sessions were read again instead of ${read}`)
  }
  try {
    value(await sessions.refresh())
    for (let n = 0; n < rounds; n += 1) {
      await sleep(SETTLED_MS)
      value(await sessions.refresh())
      await timed('nothing', 0)
      db.prepare('INSERT OR REPLACE INTO state_meta VALUES (?, ?)').run('bench', String(n))
      await timed('touched', 0)
      add.run(
        String(ids[Math.floor((ids.length * (n + 1)) / (rounds + 1))]?.id),
        `afterthought ${n}`,
        1_780_000_000 + n,
      )
      await timed('one', 1)
    }
  } finally {
    db.close()
    await sessions.close()
  }
  return { nothing: median(times.nothing), touched: median(times.touched), one: median(times.one) }
}

/** Megabytes of text that the index takes: what was said and thought, and what tools were given and gave. */
export function textOf(history: History): number {
  const db = new DatabaseSync(history.file, { readOnly: true })
  const row = db
    .prepare(
      `SELECT total(octet_length(content)) + total(octet_length(tool_calls)) + total(octet_length(reasoning)) AS bytes FROM messages`,
    )
    .get()
  db.close()
  return Number(row?.bytes) / 1_048_576
}

import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSessions, type Sessions } from '@panoptes/engine/sessions'
import { orThrow } from './report.ts'
import type { History } from './sessions-data.ts'
import { interleaved, median } from './statistics.ts'

/** The columns of a message that the index reads. */
const COLUMNS = `id, role, content, tool_call_id, tool_calls, tool_name, timestamp, active, compacted, observed, display_kind,
  _compressed_summary, reasoning_content, reasoning, reasoning_details, codex_reasoning_items, codex_message_items`

/** Returns the seconds to read rows and discard them. */
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

export interface FirstIndex {
  readonly seconds: number
  /** The times to read the same rows with only the indexed columns, and with all columns. */
  readonly floor: number
  readonly wholeRows: number
  readonly index_mb: number
}

/** Builds the index from scratch on the same threads as the daemon. */
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
  orThrow(await sessions.refresh())
  const seconds = (performance.now() - start) / 1_000
  const [status] = sessions.status().filter(({ source }) => source === 'hermes')
  await sessions.close()
  if (status?.done !== history.sessions)
    throw new Error(`${status?.done} sessions were read: ${status?.problem}`)
  return seconds
}

const opened = async (history: History, file: string): Promise<Sessions> =>
  orThrow(await openSessions({ file, env: { HOME: '/nonexistent', HERMES_HOME: history.home } }))

export interface Refreshes {
  /** Milliseconds after no write, a write outside of sessions, and one new message. */
  readonly nothing: number
  readonly touched: number
  readonly one: number
}

/** The modification time of a database is not reliable right after a write, so this waits until it is. */
const SETTLED_MS = 300

/** Measures refreshes of the index that `firstIndex` built. */
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
    orThrow(await sessions.refresh())
    times[what].push(performance.now() - start)
    const total = sessions.status().find(({ source }) => source === 'hermes')?.total
    if (total !== read) throw new Error(`${total} sessions were read again instead of ${read}`)
  }
  try {
    orThrow(await sessions.refresh())
    for (let n = 0; n < rounds; n += 1) {
      await sleep(SETTLED_MS)
      orThrow(await sessions.refresh())
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

/** Returns the megabytes of indexed text: messages, thoughts, and inputs and outputs of tools. */
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

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Achievements, View } from '@panoptes/engine/achievements'
import type { AchievementsReply } from '@panoptes/schema'
import { opened, type publishedEngine } from './achievements-engine.ts'
import { orThrow } from './report.ts'
import type { History } from './sessions-data.ts'
import { interleaved, median } from './statistics.ts'

type Engine = Awaited<ReturnType<typeof publishedEngine>>
const HERMES: View = { source: 'hermes' }

/**
 * The floor: seconds to read the counted text and discard it. It is a plain loop over every row that makes
 * each text a string, in the cheapest plain way: rows as lists (objects take 1.3 times as long), in file
 * order, and without ids, times and the order of sessions (1.4 times), which a scan needs. Fetching a
 * thousand rows at a time, as the scan does, takes 0.8 times as long. That is a gain of the scan, so the
 * floor excludes it.
 */
function readText(file: string): number {
  const start = performance.now()
  const db = new DatabaseSync(file, { readOnly: true })
  const statement = db.prepare('SELECT role, content, tool_calls, tool_name FROM messages')
  statement.setReturnArrays(true)
  for (const row of statement.iterate()) void row
  db.close()
  return (performance.now() - start) / 1_000
}

async function counted(achievements: Achievements): Promise<AchievementsReply> {
  achievements.rescan(HERMES, { full: false })
  orThrow(await achievements.settled(HERMES))
  return orThrow(await achievements.get(HERMES, { wait: false }))
}

async function coldScan(engine: Engine, history: History, folder: string): Promise<number> {
  rmSync(folder, { recursive: true, force: true })
  const { achievements, close } = await opened(engine, folder, history.home)
  const start = performance.now()
  const { scan_meta } = await counted(achievements)
  const seconds = (performance.now() - start) / 1_000
  await close()
  if (scan_meta.mode !== 'full' || scan_meta.sessions_rescanned < history.sessions * 0.9)
    throw new Error(`${scan_meta.sessions_rescanned} sessions were read: ${scan_meta.error}`)
  return seconds
}

export interface Scans {
  /** Seconds. */
  readonly cold: number
  readonly floor: number
  /** Milliseconds after no write, a write outside of sessions, and one new message. */
  readonly nothing: number
  readonly touched: number
  readonly one: number
}

/** The modification time of a database is not reliable right after a write, so this waits until it is. */
const SETTLED_MS = 300

/** Scans one history with stores that have not seen it, and then with one that has. */
export async function scans(
  engine: Engine,
  history: History,
  folder: string,
  rounds: number,
): Promise<Scans> {
  const own = join(folder, `counted-${history.sessions}`)
  const { cold, floor } = await interleaved(rounds, {
    cold: () => coldScan(engine, history, own),
    floor: () => readText(history.file),
  })
  const { achievements, close } = await opened(engine, own, history.home)
  const db = new DatabaseSync(history.file)
  const times = { nothing: [] as number[], touched: [] as number[], one: [] as number[] }
  const timed = async (what: keyof typeof times, read: number) => {
    const start = performance.now()
    const { scan_meta } = await counted(achievements)
    times[what].push(performance.now() - start)
    if (scan_meta.sessions_rescanned !== read)
      throw new Error(`${scan_meta.sessions_rescanned} sessions were read again instead of ${read}`)
  }
  const ids = db.prepare('SELECT id FROM sessions WHERE archived = 0 AND hidden = 0 ORDER BY id').all()
  const add = db.prepare(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
  )
  try {
    await counted(achievements)
    for (let n = 0; n < rounds; n += 1) {
      await sleep(SETTLED_MS)
      await counted(achievements)
      await timed('nothing', 0)
      db.prepare('INSERT OR REPLACE INTO state_meta VALUES (?, ?)').run('bench', String(n))
      await timed('touched', 0)
      const at = Math.floor((ids.length * (n + 1)) / (rounds + 1))
      add.run(String(ids[at]?.id), `afterthought ${n}`, 1_780_000_000 + n)
      await timed('one', 1)
    }
  } finally {
    db.close()
    await close()
  }
  return {
    cold,
    floor,
    nothing: median(times.nothing),
    touched: median(times.touched),
    one: median(times.one),
  }
}

/** Lists the achievements and metrics in which a history differs from a golden result. */
export async function differences(
  engine: Engine,
  history: History,
  folder: string,
  golden: { readonly achievements: readonly Golden[]; readonly aggregate: Readonly<Record<string, number>> },
): Promise<readonly string[]> {
  const { achievements, close } = await opened(engine, join(folder, 'golden-counted'), history.home)
  const { achievements: items } = await counted(achievements)
  const aggregate: Readonly<Record<string, number>> = orThrow(await achievements.aggregate(HERMES))
  await close()
  const told = new Map(items.map((item) => [item.id, item]))
  const same = (want: Golden) => {
    const item = told.get(want.id)
    return (['state', 'tier', 'progress', 'progress_pct', 'unlocked'] as const).every(
      (key) => item?.[key] === want[key],
    )
  }
  return [
    ...golden.achievements.filter((want) => !same(want)).map(({ id }) => id),
    ...Object.entries(golden.aggregate).flatMap(([name, sum]) => (aggregate[name] === sum ? [] : [name])),
  ]
}

interface Golden {
  readonly id: string
  readonly state: string
  readonly tier: string | null
  readonly progress: number
  readonly progress_pct: number
  readonly unlocked: boolean
}

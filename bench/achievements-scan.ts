import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Achievements, View } from '@panoptes/engine/achievements'
import type { AchievementsReply } from '@panoptes/schema'
import { opened, type publishedEngine, value } from './achievements-engine.ts'
import { interleaved, median } from './figures.ts'
import type { History } from './sessions-data.ts'

type Engine = Awaited<ReturnType<typeof publishedEngine>>
const HERMES: View = { source: 'hermes' }

/**
 * The floor: seconds to read the text that is counted, and throw it away. It is the plain loop over every row with each of its
 * texts made a string, in the cheapest of the plain ways: rows as lists (as objects they take 1.3 times as long), in the order
 * of the file, and without what a scan needs besides: ids, times, and sessions in their order (1.4 times). Who knows `node:sqlite`
 * well asks for a thousand rows at a time, as the scan does (0.8 times); that is what the scan gains, not what it is held to.
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
  value(await achievements.settled(HERMES))
  return value(await achievements.get(HERMES, { wait: false }))
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
  /** Milliseconds: nothing was written, something that is no session's, and one message. */
  readonly nothing: number
  readonly touched: number
  readonly one: number
}

/** Of a database that was written to just now its time of change says nothing: wait until it does. */
const SETTLED_MS = 300

/** Scans of one history, each by a ledger that has not seen it, and then by one that has. */
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

/** What a history counts differently from a golden result: names of achievements and metrics. */
export async function differences(
  engine: Engine,
  history: History,
  folder: string,
  golden: { readonly achievements: readonly Golden[]; readonly aggregate: Readonly<Record<string, number>> },
): Promise<readonly string[]> {
  const { achievements, close } = await opened(engine, join(folder, 'golden-counted'), history.home)
  const { achievements: items } = await counted(achievements)
  const aggregate: Readonly<Record<string, number>> = value(await achievements.aggregate(HERMES))
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

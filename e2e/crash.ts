import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { faultsOf, faultsOfBackup, type Log, type Promised } from './crash-check.ts'
import { type Chore, type Life, type Said, Stream } from './crash-stream.ts'

const CHILD = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
const WRITERS = 4
const MOST_EVENTS = 20_000

export interface CrashOptions {
  readonly kills: number
  readonly seed: number
  /** The folder for all files; the caller removes it. */
  readonly folder: string
  /** A store with more events is replaced by a new one, so that every check can read all of it. */
  readonly mostEvents?: number
  readonly onKill?: (kill: Kill) => void
}

interface Kill {
  readonly number: number
  readonly chore: string
  readonly events: number
  readonly faults: readonly string[]
}

export interface CrashSummary {
  readonly kills: number
  readonly seed: number
  readonly stores: number
  readonly acknowledged: number
  /** Events that were stored, though the kill came before their acknowledgement. */
  readonly stored_unanswered: number
  readonly chores: Readonly<Record<string, number>>
  readonly faults: readonly string[]
}

interface Ground {
  readonly file: string
  readonly copies: string
  readonly log: Log
  readonly promised: Promised[]
}

/** Kills a process at random moments while it appends, and checks what each kill left behind. */
export async function crash(options: CrashOptions): Promise<CrashSummary> {
  const chance = randomFrom(options.seed)
  const { mostEvents = MOST_EVENTS } = options
  const chores: Record<string, number> = {}
  const faults: string[] = []
  let acknowledged = 0
  let unanswered = 0
  let stores = 0
  let ground: Ground | undefined

  const leave = (left: Ground | undefined): void => {
    if (left === undefined) return
    for (const each of left.promised) acknowledged += each.acknowledged
    unanswered += left.log.length - left.promised.reduce((sum, each) => sum + each.acknowledged, 0)
    rmSync(join(left.file, '..'), { recursive: true, force: true })
  }

  for (let number = 1; number <= options.kills; number += 1) {
    if (ground === undefined || ground.log.length > mostEvents) {
      leave(ground)
      stores += 1
      ground = newGround(join(options.folder, `ledger-${stores}`))
    }
    const stale = chance() < 0.1 && spoilVersions(ground.file)
    const chore = pick(chance, ['none', 'none', 'rebuild', 'retain', 'backup'] as const)
    await liveAndDie(ground, chore, chance, stale)
    const found = await faultsOf(ground.file, ground.log, ground.promised)
    found.push(...(await checkBackups(ground)))
    const name = stale ? 'opening' : chore
    chores[name] = (chores[name] ?? 0) + 1
    faults.push(...found.map((fault) => `kill ${number} (${name}): ${fault}`))
    options.onKill?.({ number, chore: name, events: ground.log.length, faults: found })
    if (found.length > 0) break
  }
  leave(ground)
  const kills = Object.values(chores).reduce((sum, count) => sum + count, 0)
  return { kills, seed: options.seed, stores, acknowledged, stored_unanswered: unanswered, chores, faults }
}

function newGround(folder: string): Ground {
  const copies = join(folder, 'copies')
  mkdirSync(copies, { recursive: true })
  return { file: join(folder, 'ledger.db'), copies, log: [], promised: [] }
}

/** Makes the next open rebuild all projections, so that a kill can hit the rebuild. */
function spoilVersions(file: string): boolean {
  if (!existsSync(file)) return false
  const db = new DatabaseSync(file)
  try {
    return Number(db.prepare('UPDATE projection_versions SET version = 0').run().changes) > 0
  } catch {
    return false
  } finally {
    db.close()
  }
}

async function liveAndDie(ground: Ground, chore: Chore, chance: () => number, stale: boolean): Promise<void> {
  const seed = Math.floor(chance() * 0x7fff_ffff)
  const writers = writersOf(ground, seed)
  const life: Life = {
    file: ground.file,
    seed,
    writers: writers.map(({ stream, acknowledged }) => ({ seed: stream.seed, from: acknowledged })),
    chore,
    copies: ground.copies,
  }
  const child = spawn(process.execPath, [CHILD, JSON.stringify(life)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const ready = listen(child, writers)
  const early = stale || chance() < 0.12
  if (early) await Promise.race([sleep(150 + chance() * 350), closed])
  else {
    await Promise.race([ready, closed])
    await Promise.race([sleep(chance() ** 2 * 700), closed])
  }
  child.kill('SIGKILL')
  const [code, signal] = (await closed) as [number | null, string | null]
  if (signal !== 'SIGKILL') throw new Error(`the child ended by itself, with ${code}: ${await ready}`)
}

/** Writers with an unacknowledged append send it again, like a client; others start a new stream. */
function writersOf(ground: Ground, seed: number): Promised[] {
  const unanswered = ground.promised.filter((each) => each.sent > each.acknowledged).slice(-WRITERS)
  const fresh = Array.from({ length: WRITERS - unanswered.length }, (_, n) => {
    const promised: Promised = { stream: new Stream(seed + n), acknowledged: 0, sent: 0 }
    ground.promised.push(promised)
    return promised
  })
  return [...unanswered, ...fresh]
}

/** Records the output of the child. Resolves when it is ready, or with its error. */
async function listen(child: ChildProcess, writers: readonly Promised[]): Promise<string> {
  if (child.stdout === null) return 'it has no output'
  const lines = createInterface({ input: child.stdout })
  return new Promise((resolve) => {
    lines.on('line', (text) => {
      const said = parse(text)
      if (said === undefined) return
      if ('ready' in said) resolve('')
      if ('failed' in said) resolve(said.failed)
      if ('sent' in said) note(writers[said.sent], 'sent', said.from + said.count)
      if ('acknowledged' in said) note(writers[said.acknowledged], 'acknowledged', said.from + said.count)
    })
  })
}

function note(writer: Promised | undefined, what: 'sent' | 'acknowledged', upTo: number): void {
  if (writer) writer[what] = Math.max(writer[what], upTo)
}

/** A kill may have cut the last line. */
function parse(text: string): Said | undefined {
  try {
    return JSON.parse(text) as Said
  } catch {
    return undefined
  }
}

async function checkBackups(ground: Ground): Promise<string[]> {
  const names = readdirSync(ground.copies).filter((name) => name.endsWith('.db'))
  const newest = names.at(-1)
  const faults = newest === undefined ? [] : await faultsOfBackup(join(ground.copies, newest), ground.log)
  for (const name of readdirSync(ground.copies)) rmSync(join(ground.copies, name), { force: true })
  return faults
}

const pick = <T>(chance: () => number, list: readonly [T, ...T[]]): T =>
  list[Math.floor(chance() * list.length)] ?? list[0]

export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    const mixed = Math.imul(state ^ (state >>> 15), state | 1)
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 0x1_0000_0000
  }
}

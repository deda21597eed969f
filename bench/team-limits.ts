import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openStore } from '@panoptes/engine/store'
import type { Row } from './report.ts'
import { median, quantile, round } from './statistics.ts'
import { newDatabase, type Under } from './team-hubs.ts'

const NODE = fileURLToPath(new URL('./team-node.ts', import.meta.url))
const BATCH = 2
const WANTED_MS = 250
const PATIENCE_MS = 30_000

interface Step {
  readonly hubs: number
  readonly rate: number
}

export interface Limits {
  readonly rows: readonly Row[]
  /** Whether the bus holds every load that hubs without it hold, and at least one that they do not. */
  readonly isBeyond: boolean
}

/**
 * Adds hubs and then events, in batches as small as those of hooks, until new events no longer reach all hubs
 * soon.
 */
export async function limits(under: Under, quick: boolean): Promise<Limits> {
  const seconds = quick ? 1 : 3
  const steps: readonly Step[] = quick
    ? [{ hubs: 2, rate: 200 }]
    : [
        { hubs: 2, rate: 1_000 },
        { hubs: 4, rate: 1_000 },
        { hubs: 8, rate: 1_000 },
        { hubs: 16, rate: 1_000 },
        { hubs: 4, rate: 2_000 },
        { hubs: 8, rate: 2_000 },
        { hubs: 8, rate: 4_000 },
        { hubs: 8, rate: 8_000 },
      ]
  const measured: (Step & Record<'alone' | 'bus', Measured>)[] = []
  for (const step of steps) {
    const alone: Measured[] = []
    const bus: Measured[] = []
    for (let n = 0; n < (quick ? 1 : 5); n += 1) {
      alone.push(await run(under, step, seconds, false))
      bus.push(await run(under, step, seconds, true))
    }
    measured.push({ ...step, alone: middleOf(alone), bus: middleOf(bus) })
  }
  return {
    rows: measured.map(({ hubs, rate, alone, bus }) => ({
      hubs,
      'events/s': rate,
      'by tail: p50, ms': alone.p50,
      'p99, ms': alone.p99,
      'stored/s': alone.stored,
      holds: saidOf(alone),
      'by the bus: p50, ms': bus.p50,
      'p99, ms ': bus.p99,
      'stored/s ': bus.stored,
      'holds ': saidOf(bus),
    })),
    isBeyond:
      measured.every(({ alone, bus }) => doesHold(bus) || !doesHold(alone)) &&
      measured.some(({ alone, bus }) => doesHold(bus) && !doesHold(alone)),
  }
}

interface Measured {
  readonly p50: number
  readonly p99: number
  /** Events per second until the last one was stored. */
  readonly stored: number
  /** Whether every hub stored and received all sent events. */
  readonly isWhole: boolean
  readonly isInTime: boolean
}

const doesHold = ({ isWhole, isInTime, p99 }: Measured): boolean => isWhole && isInTime && p99 <= WANTED_MS
const saidOf = (measured: Measured): string => (doesHold(measured) ? 'yes' : measured.isWhole ? 'late' : 'no')

/** Returns the medians. The result is complete only if every round was. */
function middleOf(rounds: readonly Measured[]): Measured {
  const middle = (of: (one: Measured) => number) => round(median(rounds.map(of)))
  return {
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    stored: Math.round(middle(({ stored }) => stored)),
    isWhole: rounds.every(({ isWhole }) => isWhole),
    isInTime: middle(({ isInTime }) => Number(isInTime)) === 1,
  }
}

async function run(
  { postgres, nats }: Under,
  { hubs, rate }: Step,
  seconds: number,
  withBus: boolean,
): Promise<Measured> {
  const url = await newDatabase(postgres)
  const opened = await openStore({ kind: 'postgres', url, space: 'main' })
  if (!opened.ok) throw new Error(opened.message)
  const ledger = opened.value
  const nodes: Node[] = []
  try {
    for (let n = 0; n < hubs; n += 1) {
      const args = [url, withBus ? nats : '', n, rate / hubs, BATCH, seconds]
      nodes.push(new Node(args.map(String)))
    }
    for (const node of nodes) await node.line()
    const began = performance.timeOrigin + performance.now() + 300
    for (const node of nodes) node.say(String(began))
    for (const node of nodes) await node.line()
    const all = Math.round((rate / hubs) * seconds) * hubs
    let last = 0
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await setTimeout(10)) {
      const head = await ledger.head()
      if (head.ok) last = head.value.last
      if (last >= all) break
    }
    const took = (performance.timeOrigin + performance.now() - began) / 1_000
    await setTimeout(500)
    for (const node of nodes) node.say('end')
    const told = await Promise.all(nodes.map(async (node) => JSON.parse(await node.line()) as Told))
    const waits = told.flatMap((each) => each.waits)
    return {
      p50: quantile(waits, 0.5),
      p99: quantile(waits, 0.99),
      stored: last / Math.max(seconds, took),
      isWhole: last === all && told.every((each) => each.failed === 0 && each.waits.length === all),
      isInTime: took < seconds * 1.1 + 0.5,
    }
  } finally {
    await Promise.all(nodes.map((node) => node.end()))
    await ledger.close()
  }
}

interface Told {
  readonly waits: readonly number[]
  readonly failed: number
}

class Node {
  readonly #child: ChildProcess
  readonly #lines: string[] = []
  readonly #waiting: ((line: string) => void)[] = []
  readonly #exit: Promise<unknown>

  constructor(args: readonly string[]) {
    const child = spawn(process.execPath, [NODE, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child = child
    this.#exit = once(child, 'exit')
    createInterface({ input: child.stdout }).on('line', (line) => {
      const waiting = this.#waiting.shift()
      if (waiting) waiting(line)
      else this.#lines.push(line)
    })
  }

  say(word: string): void {
    this.#child.stdin?.write(`${word}\n`)
  }

  line(): Promise<string> {
    const line = this.#lines.shift()
    if (line !== undefined) return Promise.resolve(line)
    const ended = this.#exit.then(() => Promise.reject(new Error('a hub ended')))
    return Promise.race([new Promise<string>((resolve) => this.#waiting.push(resolve)), ended])
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exit
  }
}

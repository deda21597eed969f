import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Part } from './live-parts.ts'
import { processorMs } from './live-process.ts'
import { stall } from './live-stall.ts'
import { type Delays, delays, lineSource, rate } from './live-stream.ts'
import { daemonTarget, type Listener, listenTen, probeTarget, type Target } from './live-target.ts'
import { interleaved, median, quantile, round } from './statistics.ts'

const ROUNDS = 5

/**
 * Measures the path from an append to ten clients: the rate, the delay, and the effect of a client that does
 * not read.
 */
export async function streamPart(quick: boolean): Promise<Part> {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-'))
  const [daemon, page, stalling, control, floor, raw, eager] = await Promise.all([
    daemonTarget(),
    daemonTarget('/stream?batch=1&agents=1'),
    daemonTarget(),
    daemonTarget(),
    probeTarget(folder, 16),
    probeTarget(folder, 16, 'raw'),
    probeTarget(folder, 0),
  ])
  try {
    const lines = lineSource(3)
    const rates = await comparedRates({ daemon, floor, raw, page }, lines, 20_000)
    const late = await comparedDelays({ daemon, floor: eager }, quick ? 1 : ROUNDS)
    const plan = quick
      ? { seconds: 10, bursts: 3, burst: 40_000 }
      : { seconds: 60, bursts: ROUNDS, burst: 30_000 }
    const stalled = await stall(stalling, control, lines, plan)
    const share = round((rates[0]?.perSecond ?? Number.NaN) / (rates[1]?.perSecond ?? Number.NaN))
    const p99 = round(
      quantile(
        late.daemon.flatMap(({ all }) => all),
        0.99,
      ),
    )
    const kept = round(stalled.others / stalled.control)
    return {
      tables: [
        {
          title: `Appended, stored and delivered to 10 clients, median of ${ROUNDS}, against a bare tail that stores nothing, and one that does not even look at what it sends. A page also gets the agents`,
          rows: rates.map(({ name, perSecond, cost }) => ({
            what: name,
            'events/s': Math.round(perSecond),
            'processor, µs/event': round(cost),
          })),
        },
        {
          title:
            'From the append to each of 10 clients at 200 events a second, against a bare tail that sends at once',
          rows: late.daemon.map((own, n) => ({
            'p50, ms': round(own.p50_ms),
            'p99, ms': round(own.p99_ms),
            'floor p50, ms': round(late.floor[n]?.p50_ms ?? Number.NaN),
            'floor p99, ms': round(late.floor[n]?.p99_ms ?? Number.NaN),
          })),
        },
        {
          title: `One of 10 clients does not read for ${plan.seconds} s: what the nine others get`,
          rows: [
            {
              'events/s': Math.round(stalled.others),
              'events/s where all read': Math.round(stalled.control),
              'processor, µs/event': round(stalled.cost_us.others),
              'where all read, µs/event': round(stalled.cost_us.control),
              'more memory, MB': round(stalled.moreMb),
              'gaps it hears of': stalled.gaps,
              'was cut off': stalled.cutOff ? 'yes' : 'no',
            },
          ],
        },
      ],
      promises: [
        { says: 'stored and delivered at half of the floor', holds: share >= 0.5, measured: `${share}` },
        {
          says: 'p99 from append to client under 10 ms, over all rounds',
          holds: p99 < 10,
          measured: `${p99} ms`,
        },
        {
          says: 'a client that does not read leaves the others their rate',
          holds: kept >= 0.8,
          measured: `${kept} times`,
        },
        {
          says: 'a client that does not read costs under 50 MB',
          holds: stalled.moreMb < 50,
          measured: `${round(stalled.moreMb)} MB`,
        },
        {
          says: 'a client that reads on hears of a gap',
          holds: stalled.gaps > 0,
          measured: stalled.cutOff ? 'cut off' : `${stalled.gaps} gaps`,
        },
      ],
    }
  } finally {
    await Promise.all([daemon, page, stalling, control, floor, raw, eager].map((target) => target.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

type Pair = { readonly daemon: Target; readonly floor: Target }

async function comparedRates(
  targets: Readonly<Record<string, Target>>,
  lines: (count: number) => string[],
  count: number,
) {
  const costs = new Map<string, number[]>()
  const listeners: Listener[] = []
  const variants: Record<string, () => Promise<number>> = {}
  for (const [name, target] of Object.entries(targets)) {
    const own = await listenTen(target)
    const spent: number[] = []
    listeners.push(...own)
    costs.set(name, spent)
    variants[name] = async () => {
      const given = lines(count)
      const before = processorMs(target.pid)
      const perSecond = await rate(target, own, given)
      spent.push(((processorMs(target.pid) - before) * 1_000) / count)
      return perSecond
    }
    // The first events run code that is not compiled yet.
    await rate(target, own, lines(count))
  }
  const rates = await interleaved(ROUNDS, variants)
  for (const listener of listeners) listener.close()
  return Object.entries(rates).map(([name, perSecond]) => ({
    name,
    perSecond,
    cost: median(costs.get(name) ?? []),
  }))
}

async function comparedDelays({ daemon, floor }: Pair, rounds: number) {
  const late = { daemon: [] as Delays[], floor: [] as Delays[] }
  for (let n = 0; n < rounds; n += 1) {
    late.daemon.push(await delays(daemon, 200, 3))
    late.floor.push(await delays(floor, 200, 3))
  }
  return late
}

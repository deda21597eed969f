import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { interleaved, median, round } from './figures.ts'
import type { Part } from './live-parts.ts'
import { processorMs } from './live-process.ts'
import { stall } from './live-stall.ts'
import { type Delays, delays, lineSource, rate } from './live-stream.ts'
import { daemonTarget, type Listener, listenTen, probeTarget, type Target } from './live-target.ts'

const ROUNDS = 5

/** From an append to ten clients: how many, how soon, and with one that does not read. */
export async function streamPart(quick: boolean): Promise<Part> {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-'))
  const [daemon, floor, eager] = await Promise.all([
    daemonTarget(),
    probeTarget(folder, 16),
    probeTarget(folder, 0),
  ])
  try {
    const lines = lineSource(3)
    const rates = await comparedRates({ daemon, floor }, lines, quick ? 20_000 : 40_000)
    const late = await comparedDelays({ daemon, floor: eager }, quick ? 1 : ROUNDS)
    const plan = quick
      ? { seconds: 10, bursts: 3, burst: 40_000 }
      : { seconds: 60, bursts: ROUNDS, burst: 30_000 }
    const stalled = await stall(daemon, lines, plan)
    const share = round(rates.daemon / rates.floor)
    const p99 = round(median(late.daemon.map(({ p99_ms }) => p99_ms)))
    const kept = round(stalled.during / stalled.before)
    return {
      tables: [
        {
          title: `Appended, stored and delivered to 10 clients, median of ${ROUNDS}, against a bare tail that stores nothing`,
          rows: [
            {
              'events/s': Math.round(rates.daemon),
              'floor, events/s': Math.round(rates.floor),
              'of the floor': share,
              'processor, µs/event': round(rates.costs.daemon),
              'floor, processor, µs/event': round(rates.costs.floor),
            },
          ],
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
              'events/s before': Math.round(stalled.before),
              'events/s meanwhile': Math.round(stalled.during),
              'more memory, MB': round(stalled.moreMb),
              'gaps it hears of': stalled.gaps,
              'was cut off': stalled.cutOff ? 'yes' : 'no',
            },
          ],
        },
      ],
      promises: [
        { says: 'stored and delivered at half of the floor', holds: share >= 0.5, measured: `${share}` },
        { says: 'p99 from append to client under 10 ms', holds: p99 < 10, measured: `${p99} ms` },
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
    await Promise.all([daemon.stop(), floor.stop(), eager.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}

type Pair = { readonly daemon: Target; readonly floor: Target }

async function comparedRates({ daemon, floor }: Pair, lines: (count: number) => string[], count: number) {
  const [ours, theirs] = await Promise.all([listenTen(daemon), listenTen(floor)])
  // The first events meet code that is not compiled yet, at either.
  await rate(daemon, ours, lines(count))
  await rate(floor, theirs, lines(count))
  const costs = { daemon: [] as number[], floor: [] as number[] }
  const measured = (name: keyof Pair, target: Target, listeners: readonly Listener[]) => async () => {
    const given = lines(count)
    const before = processorMs(target.pid)
    const perSecond = await rate(target, listeners, given)
    costs[name].push(((processorMs(target.pid) - before) * 1_000) / count)
    return perSecond
  }
  const rates = await interleaved(ROUNDS, {
    daemon: measured('daemon', daemon, ours),
    floor: measured('floor', floor, theirs),
  })
  for (const listener of [...ours, ...theirs]) listener.close()
  return { ...rates, costs: { daemon: median(costs.daemon), floor: median(costs.floor) } }
}

async function comparedDelays({ daemon, floor }: Pair, rounds: number) {
  const late = { daemon: [] as Delays[], floor: [] as Delays[] }
  for (let n = 0; n < rounds; n += 1) {
    late.daemon.push(await delays(daemon, 200, 3))
    late.floor.push(await delays(floor, 200, 3))
  }
  return late
}

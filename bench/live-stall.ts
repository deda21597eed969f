import { setTimeout as sleep } from 'node:timers/promises'
import { processorMs, watchMemory } from './live-process.ts'
import { rate } from './live-stream.ts'
import { type Listener, listenTen, type Target } from './live-target.ts'
import { interleaved, median } from './statistics.ts'

export interface StallPlan {
  readonly seconds: number
  readonly bursts: number
  /** All bursts together are large enough that a client that misses them gets a gap frame. */
  readonly burst: number
}

export interface Stalled {
  /**
   * Events per second for the other nine clients, and in turn for nine clients of a daemon without a stalled
   * one.
   */
  readonly others: number
  readonly control: number
  /** The processor time of each daemon per event. */
  readonly cost_us: { readonly others: number; readonly control: number }
  /** The difference in peak memory between the two daemons. */
  readonly moreMb: number
  readonly gaps: number
  /** Whether the stalled client was disconnected instead. */
  readonly cutOff: boolean
}

/**
 * One of ten clients stops reading for a while. This measures what the others notice and what that client
 * receives when it continues. Both daemons are fresh, because a longer log or a warmer heap would distort the
 * comparison.
 */
export async function stall(
  target: Target,
  control: Target,
  lines: (count: number) => string[],
  { seconds, bursts, burst }: StallPlan,
): Promise<Stalled> {
  const listeners = await listenTen(target)
  const [sleeper, ...others] = listeners as [Listener, ...Listener[]]
  const reading = await listenTen(control)
  const costs = { others: [] as number[], control: [] as number[] }
  const measured = (name: keyof typeof costs, of: Target, nine: readonly Listener[]) => async () => {
    const given = lines(burst)
    const before = processorMs(of.pid)
    const perSecond = await rate(of, nine, given)
    costs[name].push(((processorMs(of.pid) - before) * 1_000) / burst)
    return perSecond
  }
  await rate(target, others, lines(burst))
  await rate(control, reading, lines(burst))
  const memory = { target: watchMemory(target.pid), control: watchMemory(control.pid) }
  const wake = performance.now() + seconds * 1_000
  sleeper.pause()
  const rates = await interleaved(bursts, {
    others: measured('others', target, others),
    control: measured('control', control, reading.slice(1)),
  })
  const cost_us = { others: median(costs.others), control: median(costs.control) }
  while (performance.now() < wake) {
    await rate(target, others, lines(200))
    await rate(control, reading, lines(200))
    await sleep(1_000)
  }
  const moreMb = memory.target() - memory.control()
  sleeper.resume()
  const limit = performance.now() + 10_000
  while (sleeper.gaps() === 0 && !sleeper.closed() && performance.now() < limit) await sleep(10)
  const heard = { gaps: sleeper.gaps(), cutOff: sleeper.closed() }
  for (const listener of [...listeners, ...reading]) listener.close()
  return { ...rates, cost_us, moreMb, ...heard }
}

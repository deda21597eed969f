import { setTimeout as sleep } from 'node:timers/promises'
import { interleaved, median } from './figures.ts'
import { processorMs, watchMemory } from './live-process.ts'
import { rate } from './live-stream.ts'
import { type Listener, listenTen, type Target } from './live-target.ts'

export interface StallPlan {
  readonly seconds: number
  readonly bursts: number
  /** Enough in all bursts together that one who misses them all is told of a gap. */
  readonly burst: number
}

export interface Stalled {
  /** Events per second for the nine others, and, in turn with them, for the nine of a daemon where everyone reads. */
  readonly others: number
  readonly control: number
  /** The daemon's processor time for one event, at either. */
  readonly cost_us: { readonly others: number; readonly control: number }
  /** The most memory it had, over the most of the other. */
  readonly moreMb: number
  readonly gaps: number
  /** It was cut off instead. */
  readonly cutOff: boolean
}

/**
 * One of ten clients stops reading for a while: what the others notice, and what it hears when it reads on. Both daemons are fresh:
 * a longer ledger or a warmer heap would be taken for its doing.
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

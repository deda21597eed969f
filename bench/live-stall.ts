import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './figures.ts'
import { watchMemory } from './live-process.ts'
import { rate } from './live-stream.ts'
import { type Listener, listenTen, type Target } from './live-target.ts'

export interface StallPlan {
  readonly seconds: number
  readonly bursts: number
  /** Enough in all bursts together that one who misses them all is told of a gap. */
  readonly burst: number
}

export interface Stalled {
  /** Events per second for the nine others while the tenth reads, and while it does not. */
  readonly before: number
  readonly during: number
  readonly moreMb: number
  readonly gaps: number
  /** It was cut off instead. */
  readonly cutOff: boolean
}

/** One of ten clients stops reading for a while: what the others notice, and what it hears when it reads on. */
export async function stall(
  target: Target,
  lines: (count: number) => string[],
  { seconds, bursts, burst }: StallPlan,
): Promise<Stalled> {
  const listeners = await listenTen(target)
  const [sleeper, ...others] = listeners as [Listener, ...Listener[]]
  const measure = async () => {
    const memory = watchMemory(target.pid)
    const rates: number[] = []
    for (let n = 0; n < bursts; n += 1) rates.push(await rate(target, others, lines(burst)))
    return { rate: median(rates), memory }
  }
  const before = await measure()
  const mostBefore = before.memory()
  const wake = performance.now() + seconds * 1_000
  sleeper.pause()
  const during = await measure()
  while (performance.now() < wake) {
    await rate(target, others, lines(200))
    await sleep(1_000)
  }
  const mostDuring = during.memory()
  sleeper.resume()
  const limit = performance.now() + 10_000
  while (sleeper.gaps() === 0 && !sleeper.closed() && performance.now() < limit) await sleep(10)
  const heard = { gaps: sleeper.gaps(), cutOff: sleeper.closed() }
  for (const listener of listeners) listener.close()
  return { before: before.rate, during: during.rate, moreMb: mostDuring - mostBefore, ...heard }
}

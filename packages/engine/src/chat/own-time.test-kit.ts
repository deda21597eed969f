/** Milliseconds that this thread itself was at work: the same however busy the machine is. */
export function workMs(work: () => unknown): number {
  const began = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1_000
}

const TICK_MS = 5

/** A clock that stands while others have the machine: what waits for something takes its time by it, what is merely held up does not. */
export function ownClock(): { readonly ms: () => number } & Disposable {
  let ticks = 0
  const clock = setInterval(() => {
    ticks += 1
  }, TICK_MS)
  return { ms: () => ticks * TICK_MS, [Symbol.dispose]: () => clearInterval(clock) }
}

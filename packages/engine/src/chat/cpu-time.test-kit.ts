/**
 * The CPU time of this thread in milliseconds, which does not depend on the load of the machine.
 */
export function workMs(work: () => unknown): number {
  const began = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1_000
}

const TICK_MS = 5

/**
 * A clock that stops while other processes use the machine. Real waiting counts; being preempted
 * does not.
 */
export function ownClock(): { readonly ms: () => number } & Disposable {
  let ticks = 0
  const clock = setInterval(() => {
    ticks += 1
  }, TICK_MS)
  return { ms: () => ticks * TICK_MS, [Symbol.dispose]: () => clearInterval(clock) }
}

import { watchLaunchers } from './launchers.ts'

/** A terminal and npm both pass on the same Ctrl-C, so signals within this time count as one. */
const SAME_MS = 400

/**
 * Calls `stop` on the first of the signals, and `force` on a later one. A process that can be told to end also stops
 * when npm or whatever else launched it is gone. Returns a function that removes the listeners.
 */
export function onSignals(
  stop: () => void,
  force: () => void,
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'],
): () => void {
  let first: number | undefined
  const listen = () => {
    const now = performance.now()
    if (first === undefined) {
      first = now
      stop()
    } else if (now - first > SAME_MS) force()
  }
  for (const signal of signals) process.on(signal, listen)
  // The end of a launcher counts as the first signal, so the next signal does not force yet.
  const unwatch = signals.includes('SIGTERM') ? watchLaunchers(stop) : undefined
  return () => {
    unwatch?.()
    for (const signal of signals) process.off(signal, listen)
  }
}

/** Returns a signal that aborts on Ctrl-C, for work that can end cleanly. */
export function interruptible(): { readonly signal: AbortSignal; readonly done: () => void } {
  const controller = new AbortController()
  const done = onSignals(
    () => controller.abort(),
    () => process.exit(130),
  )
  return { signal: controller.signal, done }
}

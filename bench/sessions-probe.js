import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const EVERY_MS = 5
const AT_ONCE = 200

// A daemon loads this file. It records how late timers of the main thread fire, and when.
// It is JavaScript, because a compiler in the daemon's threads would change their memory.
const file = process.env.PANOPTES_BENCH_DELAYS
if (file !== undefined && isMainThread) {
  let lines = ''
  let held = 0
  let due = performance.now() + EVERY_MS
  const look = () => {
    const now = performance.now()
    lines += `${Date.now()} ${Math.max(0, now - due).toFixed(3)}\n`
    held += 1
    if (held === AT_ONCE) {
      appendFileSync(file, lines)
      lines = ''
      held = 0
    }
    due = performance.now() + EVERY_MS
    setTimeout(look, EVERY_MS).unref()
  }
  setTimeout(look, EVERY_MS).unref()
}

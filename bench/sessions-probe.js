import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const EVERY_MS = 5
const AT_ONCE = 200

// Loaded into a daemon: writes down how much later than asked for its main thread comes to a timer, and when. It is no TypeScript,
// so that no thread of the daemon needs memory to read it.
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

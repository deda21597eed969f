import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

// Every thread of a daemon loads this file. On a signal, each collects its garbage and reports its memory,
// and the main thread writes the result to a file.
const file = process.env.PANOPTES_BENCH_MEMORY
const PATIENCE_MS = 300

function held() {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function tell(channel, threads) {
  threads.clear()
  channel.postMessage('tell')
  const own = held()
  await sleep(PATIENCE_MS)
  const all = [...threads.values()].reduce((sum, each) => sum + each, own)
  const { rss } = process.memoryUsage()
  writeFileSync(file, JSON.stringify({ rss, held: own, all, threads: threads.size + 1 }))
}

if (file !== undefined) {
  const channel = new BroadcastChannel('panoptes-bench-memory')
  channel.unref()
  if (isMainThread) {
    const threads = new Map()
    channel.onmessage = ({ data }) => threads.set(data.thread, data.held)
    process.on('SIGUSR2', () => void tell(channel, threads))
  } else {
    const thread = Math.random()
    channel.onmessage = ({ data }) => data === 'tell' && channel.postMessage({ thread, held: held() })
  }
}

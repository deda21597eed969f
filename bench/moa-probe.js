import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// Loaded into a daemon: asked by a signal, it throws away what it no longer needs and writes down what it holds then.
const file = process.env.PANOPTES_BENCH_MEMORY
if (file !== undefined && isMainThread) {
  process.on('SIGUSR2', () => {
    globalThis.gc?.()
    globalThis.gc?.()
    const { rss, heapUsed, external } = process.memoryUsage()
    writeFileSync(file, JSON.stringify({ rss, held: heapUsed + external }))
  })
}

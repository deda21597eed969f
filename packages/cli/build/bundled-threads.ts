import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { moduleRunnerTransform } from 'vite'
import type { Plugin } from 'vitest/config'
import { asPublished, root, threads } from './bundle.ts'
import { writeByContent } from './by-content.ts'

const FOLDER = join(root, '.cache', 'threads')

/** The expression with which a module that starts threads checks whether it runs from source. */
const ASKED = "import.meta.url.endsWith('.ts')"

/** The import statement of the engine's only module that creates threads. */
const WORKER = "import { Worker } from 'node:worker_threads'"
const POOLED_WORKER = `import { PooledWorker as Worker } from ${JSON.stringify(join(import.meta.dirname, 'pooled-worker.ts'))}`

/**
 * Bundles threads for tests that open hundreds of stores, as the published package does, because one
 * file loads in half the time of seventy. Threads are reused (see `PooledWorker`). Watch mode uses the
 * source, which can change during the run.
 */
export function bundledThreads(): Plugin {
  let beside: string | undefined
  return {
    name: 'bundled-threads',
    enforce: 'pre',
    configureVitest: async ({ vitest, defineCacheKeyGenerator }) => {
      if (!vitest.config.watch) beside = pathToFileURL(join(await bundleThreads(), 'panoptes.js')).href
      // Vitest caches transformed modules between runs, and they contain the thread paths of their run.
      defineCacheKeyGenerator(({ sourceCode }) =>
        sourceCode.includes(ASKED) || sourceCode.includes(WORKER) ? `${beside}` : undefined,
      )
    },
    transform: (code, id) => {
      if (beside === undefined) return undefined
      if (code.includes(ASKED)) return code.replaceAll('import.meta.url', JSON.stringify(beside))
      if (!id.endsWith('/worker-rpc/thread.ts')) return undefined
      if (!code.includes(WORKER)) throw new Error(`${id} imports threads in another way than expected`)
      return code.replace(WORKER, POOLED_WORKER)
    },
  }
}

async function bundleThreads(): Promise<string> {
  const { outputFiles } = await build({ ...asPublished, entryPoints: threads, outdir: FOLDER, write: false })
  const files = outputFiles.map(async ({ path, text }) => ({
    path,
    contents: Buffer.from(await repeatable(text, path)),
  }))
  return writeByContent(FOLDER, await Promise.all(files))
}

/**
 * Wraps a bundle in a function that runs again for each worker placed on the thread, so that none of its modules
 * keeps state between workers. A worker that was started normally has its data from the start.
 */
async function repeatable(bundled: string, path: string): Promise<string> {
  const transformed = await moduleRunnerTransform(bundled, null, path, bundled)
  if (transformed === null) throw new Error(`${path} could not be made repeatable`)
  return `
import * as threads from 'node:worker_threads'
if (threads.workerData) place({})
else threads.parentPort.on('message', place)
function place(scope) {
  const load = (name) => name === 'node:worker_threads' ? { ...threads, ...scope } : import(name)
  run(load, load, import.meta, {}, () => undefined)
}
async function run(__vite_ssr_import__, __vite_ssr_dynamic_import__, __vite_ssr_import_meta__, __vite_ssr_exports__, __vite_ssr_exportName__) {
${transformed.code}
}`
}

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Plugin } from 'vitest/config'
import { asPublished, root, threads } from './bundle.ts'
import { writeByContent } from './by-content.ts'

const FOLDER = join(root, '.cache', 'threads')

/** How a module that starts threads asks whether it runs from the source. */
const ASKED = "import.meta.url.endsWith('.ts')"

/**
 * For tests that open hundreds of ledgers: their threads are bundled as in the published package, since one file loads in
 * half the time of seventy. A run that watches takes the source, which may change under it.
 */
export function bundledThreads(): Plugin {
  let beside: string | undefined
  return {
    name: 'bundled-threads',
    enforce: 'pre',
    configureVitest: async ({ vitest, defineCacheKeyGenerator }) => {
      if (!vitest.config.watch) beside = pathToFileURL(join(await bundleThreads(), 'panoptes.js')).href
      // What was transformed is kept from run to run: it leads to the threads of that run.
      defineCacheKeyGenerator(({ sourceCode }) => (sourceCode.includes(ASKED) ? `${beside}` : undefined))
    },
    transform: (code) =>
      beside !== undefined && code.includes(ASKED)
        ? code.replaceAll('import.meta.url', JSON.stringify(beside))
        : undefined,
  }
}

async function bundleThreads(): Promise<string> {
  const { outputFiles } = await build({ ...asPublished, entryPoints: threads, outdir: FOLDER, write: false })
  return writeByContent(FOLDER, outputFiles)
}

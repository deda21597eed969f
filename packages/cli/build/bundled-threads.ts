import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Plugin } from 'vitest/config'
import { asPublished, root, threads } from './bundle.ts'

const FOLDER = join(root, '.cache', 'threads')
const DAY_MS = 86_400_000

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
    configureVitest: async ({ vitest }) => {
      if (!vitest.config.watch) beside = pathToFileURL(join(await bundleThreads(), 'panoptes.js')).href
    },
    transform: (code) =>
      beside !== undefined && code.includes(ASKED)
        ? code.replaceAll('import.meta.url', JSON.stringify(beside))
        : undefined,
  }
}

/** Named by what is in them: runs at the same time do not disturb each other, and what was compiled is found again. */
async function bundleThreads(): Promise<string> {
  const { outputFiles } = await build({ ...asPublished, entryPoints: threads, outdir: FOLDER, write: false })
  const hash = createHash('sha256')
  for (const { contents } of outputFiles) hash.update(contents)
  const folder = join(FOLDER, hash.digest('hex').slice(0, 16))
  await mkdir(folder, { recursive: true })
  for (const { path, contents } of outputFiles) {
    const part = join(folder, `${basename(path)}.${process.pid}`)
    await writeFile(part, contents)
    await rename(part, join(folder, basename(path)))
  }
  await dropOld(folder)
  return folder
}

async function dropOld(current: string): Promise<void> {
  for (const name of await readdir(FOLDER)) {
    const folder = join(FOLDER, name)
    const age = Date.now() - (await stat(folder)).mtimeMs
    if (folder !== current && age > DAY_MS) await rm(folder, { recursive: true, force: true })
  }
}

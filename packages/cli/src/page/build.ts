import { execFile } from 'node:child_process'
import { mkdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { failure, type Result, success } from '@panoptes/schema'
import { writeStamp } from './stamp.ts'

const LIMIT_MS = 180_000

/** Builds into a folder of its own and swaps it in, so that a page being served is never half a page. */
export async function buildPage(web: string, folder: string, stamp: string): Promise<Result<void>> {
  const vite = findVite(web)
  if (!vite) return failure('not_found', 'vite is not installed: run npm ci')
  const fresh = join(web, '.cache', `page-${process.pid}`)
  await mkdir(dirname(fresh), { recursive: true })
  try {
    const said = await runVite(vite, web, fresh)
    if (said !== undefined) return failure('io', said)
    await writeStamp(fresh, stamp)
    await swap(fresh, folder)
    return success(undefined)
  } catch (error) {
    return failure('io', error instanceof Error ? error.message : String(error))
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

function findVite(web: string): string | undefined {
  try {
    const manifest = createRequire(join(web, 'package.json')).resolve('vite/package.json')
    return join(dirname(manifest), 'bin', 'vite.js')
  } catch {
    return undefined
  }
}

/** What vite complained of, or nothing when it built the page. */
function runVite(vite: string, web: string, out: string): Promise<string | undefined> {
  const args = [vite, 'build', web, '--outDir', out, '--emptyOutDir', '--logLevel', 'warn']
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  // Under a test runner NODE_ENV is "test", and the page would be built for development.
  const env = { ...process.env, NODE_ENV: 'production' }
  execFile(process.execPath, args, { cwd: web, env, timeout: LIMIT_MS }, (error, stdout, stderr) => {
    if (!error) return resolve(undefined)
    const lines = `${stderr}\n${stdout}`.split('\n').filter((line) => line.trim() !== '')
    resolve(lines.slice(0, 4).join('\n') || error.message)
  })
  return promise
}

async function swap(fresh: string, folder: string): Promise<void> {
  const old = `${fresh}-old`
  await rename(folder, old).catch(() => undefined)
  await rename(fresh, folder)
  await rm(old, { recursive: true, force: true })
}

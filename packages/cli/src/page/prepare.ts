import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, constants, mkdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileFailure } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'
import { asUsual } from '../umask.ts'
import { builtStamp, sourceStamp, writeStamp } from './build-stamp.ts'
import { type PagePlace, pagePlace } from './page-location.ts'

export interface PreparedPage {
  /** The folder to serve, or null if there is no page. */
  readonly folder: string | null
  /** The reason why the page is missing or older than its sources. */
  readonly problem: string | null
}

/** Returns the folder of a current page and builds it first if necessary. */
export async function preparePage(
  say: (line: string) => void,
  place: PagePlace = pagePlace(),
): Promise<PreparedPage> {
  if (place.kind === 'built') return { folder: place.folder, problem: null }
  const stamp = await sourceStamp(place.web)
  if ((await builtStamp(place.folder)) === stamp) return { folder: place.folder, problem: null }
  const began = performance.now()
  say('Building the page …')
  const built = await asUsual(() => buildPage(place.web, place.folder, stamp))
  if (built.ok) {
    say(`Built the page in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    return { folder: place.folder, problem: null }
  }
  const older = existsSync(join(place.folder, 'index.html')) ? place.folder : null
  return { folder: older, problem: built.message }
}

/** Checks the state of the page without building it. */
export async function pageState(): Promise<PreparedPage> {
  const place = pagePlace()
  if (place.kind === 'built') return { folder: place.folder, problem: null }
  const fresh = (await builtStamp(place.folder)) === (await sourceStamp(place.web))
  return { folder: fresh ? place.folder : null, problem: null }
}

const LIMIT_MS = 180_000

/** Builds into a separate folder and swaps it in, so that no incomplete page is served. */
async function buildPage(web: string, folder: string, stamp: string): Promise<Result<void>> {
  const vite = findVite(web)
  if (!vite) return failure('not_found', 'vite is not installed: run npm ci')
  const fresh = join(web, '.cache', `page-${process.pid}`)
  try {
    await mkdir(dirname(fresh), { recursive: true })
    await access(dirname(fresh), constants.W_OK)
    const problem = await runVite(vite, web, fresh)
    if (problem !== undefined) return failure('io', problem)
    await writeStamp(fresh, stamp)
    await swap(fresh, folder)
    return success(undefined)
  } catch (error) {
    // A clone may belong to another user, and then this user cannot write the page into it.
    const { path = fresh } = error as NodeJS.ErrnoException
    const { code, message } = fileFailure(error, path, 'write')
    return failure(
      code,
      `${message}. Run "panoptes up" once as the owner of ${web}, or use a clone of your own.`,
    )
  } finally {
    await rm(fresh, { recursive: true, force: true }).catch(() => undefined)
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

/** Returns the error of vite, or nothing if the build succeeded. */
function runVite(vite: string, web: string, out: string): Promise<string | undefined> {
  const args = [vite, 'build', web, '--outDir', out, '--emptyOutDir', '--logLevel', 'warn']
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  // A test runner sets NODE_ENV to "test", and vite would build the page for development.
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

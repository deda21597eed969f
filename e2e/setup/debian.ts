import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { run } from './run.ts'

export async function runnable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The first of these names that is a program in one of these folders, or on the path. */
export async function findProgram(
  names: readonly string[],
  folders: readonly string[] = [],
): Promise<string | undefined> {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const name of names)
    for (const folder of [...folders, ...path]) {
      const candidate = join(folder, name)
      if (await runnable(candidate)) return candidate
    }
  return undefined
}

/** On Debian as root, in CI or where it was asked for. */
export async function mayInstall(): Promise<boolean> {
  const asked = isOn(process.env.CI) || isOn(process.env.PANOPTES_TEST_INSTALL)
  return asked && process.getuid?.() === 0 && (await runnable('/usr/bin/apt-get'))
}

/** Installs packages and answers what `find` finds then; says in one line what went wrong. */
export async function install<T>(
  packages: readonly string[],
  what: string,
  find: () => Promise<T | undefined>,
): Promise<T> {
  console.log(`Installing ${packages[0]} with apt-get for ${what} …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const wait = ['-o', 'DPkg::Lock::Timeout=120']
  const updated = await run('apt-get', ['update', '-q'], { seconds: 180, env })
  const args = ['install', '-y', '-q', '--no-install-recommends', ...wait, ...packages]
  const installed = await run('apt-get', args, { seconds: 420, env })
  const found = await find()
  if (found !== undefined) return found
  const said = (installed.code === 0 ? updated : installed).output.trim().split('\n').at(-1) ?? ''
  throw new Error(`apt-get could not install ${packages[0]} for ${what}: ${said}`)
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false'].includes(value)

import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { run } from './run.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const MAC_APPS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Finds Chromium, or installs it where that is allowed, or says in one line what is missing. */
export async function findChromium(): Promise<string> {
  const named = process.env.PANOPTES_CHROMIUM
  if (named) {
    if (await runnable(named)) return named
    throw new Error(`PANOPTES_CHROMIUM names ${named}, which cannot be run.`)
  }
  const found = await search()
  if (found) return found
  if (await mayInstall()) return install()
  throw new Error(
    'The browser tests need Chromium: install it (Debian: apt-get install chromium; macOS: brew install --cask chromium), ' +
      'name one with PANOPTES_CHROMIUM, or, as root on Debian, set PANOPTES_TEST_INSTALL=1.',
  )
}

async function search(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...MAC_APPS]
  for (const candidate of candidates) if (await runnable(candidate)) return candidate
  return undefined
}

async function mayInstall(): Promise<boolean> {
  const asked = isOn(process.env.CI) || isOn(process.env.PANOPTES_TEST_INSTALL)
  return asked && process.getuid?.() === 0 && (await runnable('/usr/bin/apt-get'))
}

async function install(): Promise<string> {
  console.log('Installing Chromium with apt-get for the browser tests …')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const wait = ['-o', 'DPkg::Lock::Timeout=120']
  const updated = await run('apt-get', ['update', '-q'], { seconds: 180, env })
  const args = ['install', '-y', '-q', '--no-install-recommends', ...wait, 'chromium', 'fonts-dejavu-core']
  const installed = await run('apt-get', args, { seconds: 420, env })
  const found = await search()
  if (found) return found
  const said = (installed.code === 0 ? updated : installed).output.trim().split('\n').at(-1) ?? ''
  throw new Error(`apt-get could not install chromium for the browser tests: ${said}`)
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false'].includes(value)

async function runnable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

import { findProgram, install, mayInstall, runnable } from './debian.ts'

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
  if (await mayInstall()) return install(['chromium', 'fonts-dejavu-core'], 'the browser tests', search)
  throw new Error(
    'The browser tests need Chromium: install it (Debian: apt-get install chromium; macOS: brew install --cask chromium), ' +
      'name one with PANOPTES_CHROMIUM, or, as root on Debian, set PANOPTES_TEST_INSTALL=1.',
  )
}

async function search(): Promise<string | undefined> {
  const found = await findProgram(NAMES)
  if (found !== undefined) return found
  for (const app of MAC_APPS) if (await runnable(app)) return app
  return undefined
}

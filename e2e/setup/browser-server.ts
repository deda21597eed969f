import { type BrowserServer, chromium } from 'playwright-core'

const QUIET = [
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** One Chromium for the whole run; every test opens a context of its own in it. */
export function launchBrowser(executablePath: string): Promise<BrowserServer> {
  // Chromium refuses to sandbox itself as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox', ...QUIET] : QUIET
  return chromium.launchServer({ executablePath, args, headless: true, host: '127.0.0.1', timeout: 60_000 })
}

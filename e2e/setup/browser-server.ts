import { type BrowserServer, chromium } from 'playwright-core'
import type { Chromium } from './chromium.ts'

/** One Chromium for the whole run; every test opens a context of its own in it. */
export function launchBrowser({ executablePath, args, env }: Chromium): Promise<BrowserServer> {
  return chromium.launchServer({
    executablePath,
    args,
    env,
    headless: true,
    host: '127.0.0.1',
    timeout: 60_000,
  })
}

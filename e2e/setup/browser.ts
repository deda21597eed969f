import type { TestProject } from 'vitest/node'
import { launchBrowser } from './browser-server.ts'
import { findChromium } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the one browser of this run listens. */
    readonly browser: string
  }
}

/** One browser for all tests that look at the page. */
export default async function prepareBrowser(project: TestProject): Promise<() => Promise<void>> {
  const browser = await launchBrowser(await findChromium())
  project.provide('browser', browser.wsEndpoint())
  return () => browser.close()
}

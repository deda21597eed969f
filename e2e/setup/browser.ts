import type { TestProject } from 'vitest/node'
import { launchBrowser } from './browser-server.ts'
import { findChromium } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the one browser of this run listens, or why there is none. */
    readonly browser: string | { readonly missing: string }
  }
}

/** One browser for all tests that look at the page. */
export default async function prepareBrowser(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  const chromium = await findChromium()
  if ('missing' in chromium) {
    project.provide('browser', chromium)
    return undefined
  }
  const browser = await launchBrowser(chromium)
  project.provide('browser', browser.wsEndpoint())
  return () => browser.close()
}

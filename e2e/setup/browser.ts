import type { TestProject } from 'vitest/node'
import { launchBrowser } from './browser-server.ts'
import { findChromium } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the run's browser, or the reason why there is none. */
    readonly browser: string | { readonly missing: string }
  }
}

/** Starts one browser for all tests of the page. */
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

import type { TestProject } from 'vitest/node'
import { launchBrowser } from './setup/browser-server.ts'
import { findChromium } from './setup/chromium.ts'
import { findOlderNode, type OlderNode } from './setup/older-node.ts'
import preparePage from './setup/page.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the one browser of this run listens. */
    readonly browser: string
    readonly olderNode: OlderNode
  }
}

/** Once for all whole-system tests: one browser, the built page, an older Node. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = await findChromium()
  const [browser, olderNode] = await Promise.all([launchBrowser(chromium), findOlderNode(), preparePage()])
  project.provide('browser', browser.wsEndpoint())
  project.provide('olderNode', olderNode)
  return () => browser.close()
}

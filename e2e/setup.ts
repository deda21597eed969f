import type { TestProject } from 'vitest/node'
import { launchBrowser } from './setup/browser-server.ts'
import { findChromium } from './setup/chromium.ts'
import prepareCommand from './setup/command.ts'
import { findOlderNode, type OlderNode } from './setup/older-node.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the one browser of this run listens. */
    readonly browser: string
    readonly olderNode: OlderNode
  }
}

/** Once for all whole-system tests: one browser, the built page and command, an older Node. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = await findChromium()
  const [browser, olderNode] = await Promise.all([
    launchBrowser(chromium),
    findOlderNode(),
    prepareCommand(project),
  ])
  project.provide('browser', browser.wsEndpoint())
  project.provide('olderNode', olderNode)
  return () => browser.close()
}

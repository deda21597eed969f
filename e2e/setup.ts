import type { TestProject } from 'vitest/node'
import prepareBrowser from './setup/browser.ts'
import prepareCommand from './setup/command.ts'
import { findOlderNode, type OlderNode } from './setup/older-node.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly olderNode: OlderNode
  }
}

/** Prepares one browser, the built page and command, and an older Node once for all whole-system tests. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const [closeBrowser, olderNode] = await Promise.all([
    prepareBrowser(project),
    findOlderNode(),
    prepareCommand(project),
  ])
  project.provide('olderNode', olderNode)
  return closeBrowser
}

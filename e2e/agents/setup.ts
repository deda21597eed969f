import type { TestProject } from 'vitest/node'
import prepareBrowser from '../setup/browser.ts'
import preparePage from '../setup/page.ts'
import { installClaudeAgentAcp, installClaudeCode, installCodex, installOpenCode } from './install.ts'
import { type InstalledHermes, installHermes } from './install-hermes.ts'
import { CLAUDE_AGENT_ACP, CLAUDE_CODE, type ClientName, CODEX, HERMES, OPENCODE } from './versions.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The program of each client. */
    readonly clients: Readonly<Record<ClientName, string>>
    /** The ACP adapter of Claude Code. */
    readonly claudeAgentAcp: string
    readonly opencode: string
    readonly codex: string
    readonly hermes: InstalledHermes
  }
}

/** Prepares the clients, one browser and the built page once for all tests with real agents. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const installing = installHermes(HERMES)
  const recorded = await installClaudeCode(CLAUDE_CODE.recorded)
  const newest = await installClaudeCode(CLAUDE_CODE.newest)
  project.provide('clients', { recorded, newest })
  project.provide('claudeAgentAcp', await installClaudeAgentAcp(CLAUDE_AGENT_ACP))
  project.provide('opencode', await installOpenCode(OPENCODE))
  project.provide('codex', await installCodex(CODEX))
  const hermes = await installing
  if ('missing' in hermes) console.log(`The tests with the real Hermes are skipped: ${hermes.missing}`)
  project.provide('hermes', hermes)
  await preparePage()
  return prepareBrowser(project)
}

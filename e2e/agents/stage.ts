import { afterEach, beforeEach, expect } from 'vitest'
import { makeHome, runCommand, type TestHome } from '../command.ts'
import { type Daemon, startDaemon } from '../daemon.ts'
import { type ClaudeOptions, type ClaudeRun, runClaude } from './claude.ts'
import { type ModelServer, startModel } from './model-server.ts'
import type { Script } from './script.ts'
import type { ClientName } from './versions.ts'

/** A home for one test and everything that runs in it. All of it ends with the test. */
export interface Stage {
  readonly home: () => TestHome
  readonly start: () => Promise<Daemon>
  /** Installs the hooks with the `panoptes` command. */
  readonly connect: (...flags: string[]) => Promise<void>
  readonly model: (script: Script) => Promise<ModelServer>
  /** Runs the client with a model that follows the script. */
  readonly play: (client: ClientName, script: Script, more?: More) => Promise<ClaudeRun>
}

type More = Pick<ClaudeOptions, 'env' | 'allowed' | 'asks' | 'forkOf' | 'turns'>

export function useStage(): Stage {
  let home: TestHome
  const models: ModelServer[] = []
  const daemons: Daemon[] = []
  beforeEach(async () => {
    home = await makeHome()
  })
  afterEach(async () => {
    for (const model of models.splice(0)) {
      await model.close()
      expect(model.unknown).toEqual([])
    }
    for (const daemon of daemons.splice(0)) await daemon.stop()
    await home.remove()
  })
  const model = async (script: Script) => {
    const server = await startModel(script)
    models.push(server)
    return server
  }
  return {
    home: () => home,
    model,
    start: async () => {
      const daemon = await startDaemon({ home })
      daemons.push(daemon)
      return daemon
    },
    connect: async (...flags) => {
      const { code, stdout, stderr } = await runCommand(home, ['hooks', 'install', 'claude-code', ...flags])
      expect(`${code} ${stderr}`, stdout).toBe('0 ')
    },
    play: async (client, script, more = {}) =>
      runClaude({ client, home, model: (await model(script)).address, ...more }),
  }
}

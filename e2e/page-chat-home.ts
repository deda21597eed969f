import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ScriptedAgent, startScriptedAgent } from '@panoptes/engine/testing/scripted-agent'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import { type CutLine, startLine } from './breakable-proxy.ts'
import { makeHome, type TestHome } from './command.ts'
import { type GatedModel, startGated } from './gated-model.ts'

export interface ChatHome {
  readonly home: TestHome
  readonly models: ScriptedServer
  readonly agent: ScriptedAgent
  readonly line: CutLine
  readonly gated: GatedModel
  readonly close: () => Promise<void>
}

/** A home with a built-in runtime on scripted models, and a real but scripted ACP agent. */
export async function homeWithRuntimes(): Promise<ChatHome> {
  const line = await startLine()
  const gated = await startGated()
  const models = await startScripted()
  const agent = await startScriptedAgent()
  const home = await makeHome()
  await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
  const config = {
    server: { allowed_hosts: [line.host] },
    providers: {
      local: { kind: 'openai', base_url: `${models.url}/v1`, retries: 0 },
      gated: { kind: 'openai', base_url: `${gated.url}/v1`, retries: 0 },
    },
    runtimes: {
      default: 'jarvis',
      jarvis: { provider: 'local', model: 'talker' },
      acp: {
        scripted: { command: agent.command, env: agent.env },
      },
    },
  }
  await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
  models.script('talker', { text: 'It is empty there.' })
  models.script('broken', { status: 401, body: JSON.stringify({ error: { message: 'no such key' } }) })
  agent.play({ say: 'It ran.', unlessAllowed: 'Then I leave it.' })
  const close = async () => {
    await Promise.all([agent.close(), models.close(), gated.close()])
    await home.remove()
  }
  return { home, models, agent, line, gated, close }
}

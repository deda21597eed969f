import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ScriptedAgent,
  startScriptedAgent,
} from '../packages/engine/src/chat/runtimes/acp/scripted-agent.test-kit.ts'
import {
  type ScriptedServer,
  startScripted,
} from '../packages/engine/src/models/providers/scripted.test-kit.ts'
import { makeHome, type TestHome } from './command.ts'
import { type CutLine, startLine } from './cut-line.ts'
import { type GatedModel, startGated } from './gated-model.ts'

export const HOSTILE = '<img src=x onerror="document.title=1">'

/** An answer with everything in it that Markdown has. */
const RICH = [
  '## What to do',
  '1. Read the **log**\n2. Change `rate.ts`',
  '```diff\n- const rate = Number(cell)\n+ const rate = read(cell)\n```',
  '| column | rows |\n|---|--:|\n| tax | 18,204 |',
  `See [the docs](https://example.com/docs), [this](javascript:alert(1)) and ${HOSTILE}`,
].join('\n\n')

/** What the models say, unless a test has them say something else. */
export function scriptTalk(models: ScriptedServer, agent: ScriptedAgent): void {
  models.script('talker', { text: 'It is empty there.' })
  models.script('rich', { text: RICH, pieces: 12, pace: 20 })
  models.script('broken', { status: 401, body: JSON.stringify({ error: { message: 'no such key' } }) })
  agent.play({ say: 'It ran.', unlessAllowed: 'Then I leave it.' })
}

export interface ChatHome {
  readonly home: TestHome
  readonly models: ScriptedServer
  readonly agent: ScriptedAgent
  readonly line: CutLine
  readonly gated: GatedModel
  readonly close: () => Promise<void>
}

/** A home with a built-in runtime on scripted models, a real ACP agent that is scripted, and one that is not installed. */
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
        nobody: { command: ['panoptes-no-such-agent'] },
      },
    },
  }
  await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
  scriptTalk(models, agent)
  const close = async () => {
    await Promise.all([agent.close(), models.close(), gated.close()])
    await home.remove()
  }
  return { home, models, agent, line, gated, close }
}

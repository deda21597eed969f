import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import type { MoaTurn, TraceRecord } from '@panoptes/schema'
import { afterEach, beforeEach } from 'vitest'
import type { TestHome } from '../command.ts'
import type { Daemon } from '../daemon.ts'
import { useStage } from './stage.ts'

/**
 * A daemon with the preset `moa/review` of scripted models: references `early` and `late`, acting model `acting`.
 */
export interface GatewayStage {
  readonly home: () => TestHome
  readonly gateway: () => Promise<Daemon>
  readonly scripted: () => ScriptedServer
  readonly asked: (model: string) => ScriptedServer['requests']
  readonly turnsOf: (daemon: Daemon) => Promise<readonly MoaTurn[]>
  readonly tracesOf: (session: string) => Promise<readonly TraceRecord[]>
}

export function useGateway(): GatewayStage {
  const { home, start } = useStage()
  let scripted: ScriptedServer
  beforeEach(async () => {
    scripted = await startScripted()
    scripted.script('early', { text: 'Look at the folder first.' })
    scripted.script('late', { text: 'Write it with the shell.', delay: 50 })
    scripted.script('title', { text: 'A file is made' })
  })
  afterEach(() => scripted.close())
  return {
    home,
    gateway: async () => {
      const slot = (model: string) => ({ provider: 'local', model })
      const review = { reference_models: [slot('early'), slot('late')], aggregator: slot('acting') }
      await mkdir(home().panoptes, { recursive: true, mode: 0o700 })
      const config = {
        providers: { local: { kind: 'openai', base_url: `${scripted.url}/v1` } },
        moa: { save_traces: true, presets: { review } },
      }
      await writeFile(join(home().panoptes, 'config.yaml'), JSON.stringify(config))
      return start()
    },
    scripted: () => scripted,
    asked: (model) => scripted.requests.filter(({ body }) => body.model === model),
    turnsOf: async (daemon) => {
      const reply = await daemon.request('/api/moa/turns')
      return ((await reply.json()) as { turns: readonly MoaTurn[] }).turns
    },
    tracesOf: async (session) => {
      const text = await readFile(join(home().panoptes, 'moa-traces', `${session}.jsonl`), 'utf8')
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as TraceRecord)
    },
  }
}

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileTraces, openMoa, openTraces, toTraceRecord } from '@panoptes/engine/moa'
import { createPrices, openProviders } from '@panoptes/engine/models'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import { type MoaTurn, moaPreset, type TraceRecord } from '@panoptes/schema'
import OpenAI from 'openai'
import { startTestServer, unwrap } from './server.test-kit.ts'

/**
 * The gateway with scripted models: preset `p` has `a` and `b` as references and `act` as the acting model; preset
 * `claude` acts over Anthropic's API.
 */
export interface TestGateway {
  readonly scripted: ScriptedServer
  readonly client: OpenAI
  /** The URL of `/v1`. */
  readonly address: string
  readonly key: string
  readonly asked: (model: string) => ScriptedServer['requests']
  /** The recorded lines of a session. */
  readonly lines: (session: string) => Promise<readonly TraceRecord[]>
  readonly turns: (session: string) => Promise<readonly MoaTurn[]>
  readonly stop: () => Promise<void>
}

export async function startTestGateway(): Promise<TestGateway> {
  const scripted = await startScripted()
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-gateway-'))
  const traces = openTraces({ kept: createFileTraces({ folder, maxBytes: 64 * 1_048_576 }) })
  const providers = openProviders({
    providers: {
      local: { kind: 'openai', base_url: `${scripted.url}/v1`, timeout: null, retries: 0 },
      claude: { kind: 'anthropic', base_url: scripted.url, timeout: null, retries: 0 },
    },
    env: {},
  })
  const slot = (model: string, provider = 'local') => ({ provider, model })
  const reference_models = [slot('a'), slot('b')]
  let keeping: Promise<unknown> = Promise.resolve()
  const moa = openMoa({
    presets: {
      p: moaPreset.parse({ reference_models, aggregator: slot('act') }),
      claude: moaPreset.parse({ reference_models, aggregator: slot('act', 'claude') }),
    },
    defaultPreset: null,
    privacy: '',
    providers,
    prices: createPrices(),
    traced: () => true,
    onCall: (turn, call, { session }, preset) => {
      keeping = keeping.then(() => kit.store.turns.keep([turn]))
      traces.write(session, () => toTraceRecord(call, { session, preset, privacy: '' }))
    },
  })
  const kit = await startTestServer({ options: { moa, providers } })
  const key = await kit.token('gateway')
  const address = `${kit.address}/v1`
  return {
    scripted,
    client: new OpenAI({ apiKey: key, baseURL: address, maxRetries: 0 }),
    address,
    key,
    asked: (model) => scripted.requests.filter(({ body }) => body.model === model),
    lines: async (session) => {
      await traces.drain()
      const text = await readFile(join(folder, `${session}.jsonl`), 'utf8')
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as TraceRecord)
    },
    turns: async (session) => {
      await keeping
      return unwrap(await kit.store.turns.list({ session, limit: 50, offset: 0 })).rows
    },
    stop: async () => {
      await kit.stop()
      await scripted.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ProviderConfig, providerConfig } from '@panoptes/schema'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openProviders } from './open.ts'
import type { ChatPart } from './port.ts'
import { type ScriptedServer, startScripted } from './scripted.test-kit.ts'

let server: ScriptedServer
const folder = mkdtempSync(join(tmpdir(), 'keys-'))
beforeAll(async () => {
  server = await startScripted()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.close()
})
afterEach(() => {
  server.requests.length = 0
})

type Env = Record<string, string>
const opened = (providers: Record<string, object>, env: Env = {}) =>
  openProviders({
    providers: Object.fromEntries(
      Object.entries(providers).map(([name, config]): [string, ProviderConfig] => [
        name,
        providerConfig.parse({ retries: 0, ...config }),
      ]),
    ),
    env,
  })

async function asked(
  providers: ReturnType<typeof openProviders>,
  name: string,
): Promise<ChatPart | undefined> {
  const provider = providers.get(name)
  if (!provider.ok) throw new Error(provider.message)
  const parts: ChatPart[] = []
  const ask = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
  for await (const part of provider.value.chat(ask, { stream: true })) parts.push(part)
  return parts.at(-1)
}

const WIRES = [
  { kind: 'openai', path: '/v1', header: 'authorization', sent: (key: string) => `Bearer ${key}` },
  { kind: 'anthropic', path: '', header: 'x-api-key', sent: (key: string) => key },
]

describe.each(WIRES)('provider of kind $kind', ({ kind, path, header, sent }) => {
  const config = (more: object = {}) => ({ p: { kind, base_url: `${server.url}${path}`, ...more } })
  const key = () => server.requests.at(-1)?.headers[header]

  it('reads its key from a variable, or from a file with its current content', async () => {
    await asked(opened(config({ api_key_env: 'MY_KEY' }), { MY_KEY: 'one' }), 'p')
    expect(key()).toBe(sent('one'))
    const file = join(folder, kind)
    writeFileSync(file, 'two\n')
    const providers = opened(config({ api_key_file: file }))
    await asked(providers, 'p')
    expect(key()).toBe(sent('two'))
    writeFileSync(file, 'three\n')
    await asked(providers, 'p')
    expect(key()).toBe(sent('three'))
  })

  it('sends no key if a pipe stands in the place of its file', async () => {
    const file = join(folder, `${kind}-pipe`)
    expect(spawnSync('mkfifo', [file]).status).toBe(0)
    await asked(opened(config({ api_key_file: file })), 'p')
    expect(key()).toBeUndefined()
  })

  it('sends no key if none is configured', async () => {
    await asked(opened(config()), 'p')
    expect(key()).toBeUndefined()
    expect(server.requests.at(-1)?.headers.authorization).toBeUndefined()
  })

  it("sends a maker's key to no other address", async () => {
    const env = { OPENAI_API_KEY: 'sk-maker', ANTHROPIC_API_KEY: 'sk-maker' }
    await asked(opened(config(), env), 'p')
    expect(JSON.stringify(server.requests.at(-1)?.headers)).not.toContain('sk-maker')
  })

  it('ignores the variables that its SDK would read', async () => {
    const theirs: Env = {
      OPENAI_API_KEY: 'leak-1',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/leak-2',
      OPENAI_ORG_ID: 'leak-3',
      OPENAI_PROJECT_ID: 'leak-4',
      OPENAI_CUSTOM_HEADERS: 'x-leak: leak-5',
      OPENAI_LOG: 'debug',
      ANTHROPIC_API_KEY: 'leak-6',
      ANTHROPIC_AUTH_TOKEN: 'leak-7',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/leak-8',
      ANTHROPIC_CUSTOM_HEADERS: 'x-leak: leak-9',
      ANTHROPIC_LOG: 'debug',
    }
    const before = { ...process.env }
    Object.assign(process.env, theirs)
    try {
      expect(await asked(opened(config({ api_key_env: 'MY_KEY' }), { MY_KEY: 'mine' }), 'p')).toMatchObject({
        type: 'end',
      })
      expect(process.env).toMatchObject(theirs)
    } finally {
      for (const name of Object.keys(theirs))
        if (before[name] === undefined) delete process.env[name]
        else process.env[name] = before[name]
    }
    expect(JSON.stringify(server.requests.at(-1)?.headers)).not.toContain('leak')
    expect(key()).toBe(sent('mine'))
  })

  it('never reveals its key, whatever it looks like', async () => {
    server.script('m', { status: 401, body: JSON.stringify({ error: { message: 'no: plain words here' } }) })
    const end = await asked(opened(config({ api_key_env: 'K' }), { K: 'plain words' }), 'p')
    expect(end).toMatchObject({ type: 'failed', error: { class: 'auth' } })
    expect(JSON.stringify(end)).not.toContain('plain words')
    server.script('m', { text: 'ok' })
  })
})

describe('available providers', () => {
  it('are found by their keys and on this computer without any config', () => {
    const { endpoints } = opened({}, { ANTHROPIC_API_KEY: 'k', OLLAMA_HOST: '0.0.0.0:9000' })
    expect(endpoints.map(({ name, from }) => `${name} ${from}`)).toEqual([
      'anthropic environment',
      'ollama local',
      'lm-studio local',
      'vllm local',
    ])
    expect(endpoints[1]?.config.base_url).toBe('http://127.0.0.1:9000/v1')
  })

  it('use the default key of their kind with the default address', () => {
    const { endpoints } = opened({ claude: { kind: 'anthropic' } }, { ANTHROPIC_API_KEY: 'k' })
    expect(endpoints[0]).toMatchObject({ name: 'claude', keyVariable: 'ANTHROPIC_API_KEY' })
  })

  it.each(['constructor', '__proto__', 'toString', 'nobody', 'openai'])('do not include %s', (name) => {
    expect(opened({}).get(name)).toMatchObject({ ok: false, code: 'not_found' })
  })
})

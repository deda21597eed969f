import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolvePaths } from '@panoptes/engine/home'
import {
  createFileTraces,
  openConfigSettings,
  openMoa,
  openMoaService,
  openMoaSettings,
  openTraces,
  toTraceRecord,
} from '@panoptes/engine/moa'
import { createPrices, openProviders } from '@panoptes/engine/models'
import type { EventStore } from '@panoptes/engine/store'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import {
  check,
  config,
  type MoaRunPart,
  moaRunPart,
  presetsReply,
  slotsReply,
  turnDiff,
  turnReply,
  turnsReply,
} from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import type { ServerOptions } from './options.ts'
import { startTestServer, type TestServer } from './server.test-kit.ts'

const CONFIG = `# mine
moa:
  # kept
  save_traces: false
  presets:
    # the first one
    p:
      reference_models:
        - { provider: local, model: a } # quick
        - { provider: local, model: b }
      aggregator: { provider: local, model: act }
`

let scripted: ScriptedServer
let kit: TestServer
let folder: string
const env = { SECRET_KEY: 'sk-very-secret' }

function opened(store: EventStore): Partial<ServerOptions> {
  const paths = resolvePaths({ PANOPTES_HOME: folder })
  const { moa: own } = config.parse({
    moa: {
      presets: {
        p: {
          reference_models: [
            { provider: 'local', model: 'a' },
            { provider: 'local', model: 'b' },
          ],
          aggregator: { provider: 'local', model: 'act' },
        },
      },
    },
  })
  const kept = openConfigSettings(paths, own)
  const settings = openMoaSettings({ config: own, kept, hermesHome: join(folder, 'none') })
  const base_url = scripted.url.replace('http://', 'http://name:word@')
  const providers = openProviders({
    providers: {
      named: { kind: 'openai', base_url: `${base_url}/v1`, timeout: null, retries: 0 },
      local: {
        kind: 'openai',
        base_url: `${scripted.url}/v1`,
        api_key_env: 'SECRET_KEY',
        timeout: null,
        retries: 0,
      },
    },
    env,
  })
  const files = createFileTraces({ folder: join(folder, 'moa-traces'), maxBytes: 10_000_000 })
  const traces = openTraces({ kept: files })
  let keeping: Promise<unknown> = Promise.resolve()
  const moa = openMoa({
    get presets() {
      return settings.presets()
    },
    defaultPreset: null,
    privacy: '',
    providers,
    prices: createPrices(),
    traced: settings.savesTraces,
    onCall: (turn, call, { session }, preset) => {
      keeping = store.turns.keep([turn])
      if (settings.savesTraces())
        traces.write(session, () => toTraceRecord(call, { session, preset, privacy: '' }))
    },
  })
  const written = async () => {
    await Promise.all([keeping, traces.drain()])
  }
  const moaService = openMoaService({
    moa,
    settings,
    providers,
    turns: store.turns,
    traces: files,
    waitForWrites: written,
    env,
  })
  return { moa, moaService, providers }
}

beforeAll(async () => {
  scripted = await startScripted()
  folder = await mkdtemp(join(tmpdir(), 'panoptes-moa-'))
  await writeFile(join(folder, 'config.yaml'), CONFIG)
  const options: Partial<ServerOptions> = {}
  kit = await startTestServer({
    options,
    before: async (store) => void Object.assign(options, opened(store)),
  })
})
afterAll(async () => {
  await kit.stop()
  await scripted.close()
  await rm(folder, { recursive: true, force: true })
})

async function get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  const reply = await kit.request(`/api/moa/${path}`)
  expect(reply.status).toBe(200)
  const checked = check(schema, await reply.json())
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems))
  return checked.value
}

const send = (method: string, path: string, body: unknown, signal?: AbortSignal) =>
  kit.request(`/api/moa/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })

async function parts(path: string, body: unknown): Promise<MoaRunPart[]> {
  const reply = await send('POST', path, body)
  const text = await reply.text()
  expect([reply.status, text]).toEqual([200, text])
  return text
    .trim()
    .split('\n')
    .map((line) => moaRunPart.parse(JSON.parse(line)))
}

const detailOf = async (reply: Response) => ((await reply.json()) as { detail: string }).detail

const ended = (all: readonly MoaRunPart[]) => {
  const last = all.at(-1)
  if (last?.type !== 'end') throw new Error(JSON.stringify(last))
  return last
}

const say = () => {
  scripted.script('a', { text: 'Take a backup before the table is dropped.' })
  scripted.script('b', { text: 'Rename the table first, then drop it later.' })
  scripted.script('act', { text: 'First rename the table first, then drop it later.' })
}

describe('the MoA routes', () => {
  it('run a turn and stream its events line by line', async () => {
    say()
    const all = await parts('run', { preset: 'p', prompt: 'may I drop the table?', system: 'be brief' })
    expect([...new Set(all.map(({ type }) => type))]).toEqual([
      'asking',
      'progress',
      'reference',
      'aggregating',
      'text',
      'end',
    ])
    const { turn, text } = ended(all)
    expect(text).toBe('First rename the table first, then drop it later.')
    expect(turn).toMatchObject({ from: 'run', preset: 'p', status: 'done', traced: false })
    const listed = await get('turns?preset=p&limit=1', turnsReply)
    expect(listed.turns[0]).toEqual(turn)
    const whole = await get(`turns/${turn.id.slice(0, 8)}`, turnReply)
    expect(whole).toMatchObject({ turn: { id: turn.id }, records: [], replays: [], analysis: null })
    const replay = await send('POST', 'replay', { turn: turn.id })
    expect([replay.status, await detailOf(replay)]).toEqual([
      400,
      expect.stringContaining('panoptes config set moa.save_traces true'),
    ])
  })

  it('record texts once that is switched on, and repeat a turn with one change', async () => {
    say()
    expect(await (await send('PUT', 'traces', { save: true })).json()).toEqual({ save_traces: true })
    expect(await readFile(join(folder, 'config.yaml'), 'utf8')).toBe(
      CONFIG.replace('save_traces: false', 'save_traces: true'),
    )
    const { turn } = ended(await parts('run', { prompt: 'may I?', session: 's/1' }))
    const whole = await get(`turns/${turn.id}`, turnReply)
    expect(whole.records).toHaveLength(1)
    expect(whole.analysis?.drew_on).toEqual([0, expect.any(Number)])
    const sent = scripted.requests.findLast(({ body }) => body.model === 'b')?.body.messages

    scripted.script('b', { text: 'Rename the table now.' })
    scripted.script('other', { text: 'First rename the table now.' })
    const again = ended(await parts('replay', { turn: turn.id, aggregator: 'local/other', without: '1' }))
    expect(again.turn).toMatchObject({ from: 'replay', replay_of: turn.id, session_id: 's/1' })
    expect(again.turn.slots.map(({ label }) => label)).toEqual(['local:b', 'local:other'])
    expect(scripted.requests.findLast(({ body }) => body.model === 'b')?.body.messages).toEqual(sent)
    const asked = scripted.requests.findLast(({ body }) => body.model === 'other')?.body.messages
    expect(asked?.map(({ content }) => content)).toEqual([
      'may I?',
      expect.stringContaining('Rename the table now.'),
    ])
    expect((await get(`turns/${turn.id}`, turnReply)).replays.map(({ id }) => id)).toEqual([again.turn.id])

    const diff = await get(`turns/${turn.id}/diff`, turnDiff)
    expect(diff.references.map(({ label, change }) => [label, change])).toEqual([
      ['local:a', 'removed'],
      ['local:b', 'changed'],
    ])
    expect(diff.aggregator).toEqual({ before: 'local:act', after: 'local:other' })
    expect(diff.answer).toEqual([
      { type: 'same', text: 'First rename the table ' },
      { type: 'removed', text: 'first, then drop it later' },
      { type: 'added', text: 'now' },
      { type: 'same', text: '.' },
    ])
    expect(diff.tokens).toMatchObject({ before: { output_tokens: 90 }, after: { output_tokens: 60 } })
    expect(await get(`turns/${again.turn.id}/diff`, turnDiff)).toEqual(diff)
  })

  it('explain why an unknown turn cannot be repeated', async () => {
    const [turn] = (await get('turns', turnsReply)).turns.filter(
      ({ replay_of, traced }) => traced && !replay_of,
    )
    const refused = async (body: object) => detailOf(await send('POST', 'replay', body))
    expect(await refused({ turn: 'nope' })).toContain('No turn nope')
    expect(await refused({ turn: turn?.id, without: 'local:c' })).toContain('1 local:a, 2 local:b')
    expect(await refused({ turn: turn?.id, aggregator: 'moa/p' })).toContain('preset')
    expect(await refused({ turn: turn?.id, aggregator: 'nobody/x' })).toContain('Unknown provider: nobody')
    expect(await refused({ turn: turn?.id, aggregator: 'x' })).toContain('provider/model')
  })

  it('list presets with their problems, and providers without their keys', async () => {
    const reply = await get('presets', presetsReply)
    expect(reply.presets).toMatchObject([{ name: 'p', from: 'config', problems: [] }])
    expect(reply.default_preset).toBe('p')
    expect(reply.providers.find(({ name }) => name === 'local')).toEqual({
      name: 'local',
      kind: 'openai',
      base_url: `${scripted.url}/v1`,
      from: 'config',
      key: 'SECRET_KEY',
      has_key: true,
    })
    expect(JSON.stringify(reply)).not.toMatch(/very-secret|name:word/)
  })

  it('write a preset into the config file without losing comments, and remove it again', async () => {
    const before = await readFile(join(folder, 'config.yaml'), 'utf8')
    const slot = (model: string) => ({ provider: 'local', model })
    const put = await send('PUT', 'presets/my%20own.one', {
      reference_models: [slot('a'), slot('a')],
      aggregator: slot('act'),
      fanout: 'every_n:3',
    })
    expect([put.status, await put.json()]).toMatchObject([200, { name: 'my own.one', problems: [] }])
    expect(await readFile(join(folder, 'config.yaml'), 'utf8')).toBe(`${before}    my own.one:
      reference_models:
        - { provider: local, model: a }
        - { provider: local, model: a }
      aggregator: { provider: local, model: act }
      fanout: every_n:3
`)
    say()
    const { turn } = ended(await parts('run', { preset: 'my own.one', prompt: 'x' }))
    expect(turn.slots).toHaveLength(3)
    expect((await send('DELETE', 'presets/my%20own.one', {})).status).toBe(200)
    expect(await readFile(join(folder, 'config.yaml'), 'utf8')).toBe(before)
    expect((await send('DELETE', 'presets/my%20own.one', {})).status).toBe(404)
    expect((await send('POST', 'run', { preset: 'my own.one', prompt: 'x' })).status).toBe(404)
  })

  it('refuse an invalid preset and explain why', async () => {
    const aggregator = { provider: 'local', model: 'act' }
    const problems = async (preset: object) => {
      const reply = await send('PUT', 'presets/bad', preset)
      expect(reply.status).toBe(400)
      return detailOf(reply)
    }
    const one = (slot: object) => ({ reference_models: [slot], aggregator })
    expect(await problems(one({ provider: 'moa', model: 'p' }))).toContain(
      'reference_models.0 must not be a preset',
    )
    expect(await problems(one({ provider: 'local', model: 'moa/p' }))).toContain('must not be a preset')
    expect(await problems(one({ provider: 'nobody', model: 'x' }))).toContain('Unknown provider: nobody')
    expect(await problems({ aggregator, quorum: 2 })).toContain('quorum')
    expect(await problems({ aggregator, degraded_reference_policy: 'quiet' })).toContain('loud or silent')
    expect(await problems({ aggregator, reference_tool_result_budget: 5 })).toContain('1000 to 32000')
    expect(await problems({ aggregator, typo: 1 })).toContain('typo')
    expect(await problems({})).toContain('aggregator')
  })

  it('report statistics of each model', async () => {
    const stats = await get('slots?preset=p', slotsReply)
    expect(stats.map(({ role, label, calls }) => [role, label, calls])).toEqual([
      ['reference', 'local:a', 2],
      ['reference', 'local:b', 2],
      ['aggregator', 'local:act', 2],
    ])
    expect(stats[0]?.times_ms).toHaveLength(2)
  })

  it('stop every call when the client disconnects, and record their usage until then', async () => {
    scripted.script('a', { hangs: true })
    scripted.script('b', { hangs: true })
    const stop = new AbortController()
    const [asked, left] = [scripted.requests.length, scripted.left.length]
    const reply = await send('POST', 'run', { preset: 'p', prompt: 'hang', session: 'gone' }, stop.signal)
    await expect.poll(() => scripted.requests.length - asked).toBe(2)
    const at = performance.now()
    stop.abort()
    await reply.text().catch(() => undefined)
    await expect.poll(() => scripted.left.length - left, { interval: 5 }).toBe(2)
    expect(Math.max(...scripted.left) - at).toBeLessThan(10_000)
    await expect
      .poll(async () => (await get('turns?session=gone', turnsReply)).turns[0])
      .toMatchObject({ status: 'aborted', slots: [{ label: 'local:a' }, { label: 'local:b' }] })
  })
})

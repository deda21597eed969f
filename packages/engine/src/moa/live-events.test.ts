import { createPrices, openProviders } from '@panoptes/engine/models'
import { type MoaTurn, moaPreset, type NewEvent, providerConfig } from '@panoptes/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedServer, startScripted } from '../models/providers/scripted.test-kit.ts'
import { tellStory } from '../store/projections/agents/agents.test-kit.ts'
import { createLiveReporter } from './live-events.ts'
import { openMoa } from './open.ts'
import { slot, step, user } from './turn.test-kit.ts'

/** A key that matches no known secret format. */
const OWN_KEY = 'plain.words.and.more'

let server: ScriptedServer
beforeAll(async () => {
  server = await startScripted()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
  for (const model of ['a', 'b', 'act']) server.script(model, { text: `${model} says so` })
})

/** Opens a mixture of agents together with the Live view of its events. */
function opened(preset: object = {}) {
  const story = tellStory()
  const events: NewEvent[] = []
  const keys = new Set<string>()
  const turns = new Map<string, MoaTurn>()
  const providers = openProviders({
    providers: {
      local: providerConfig.parse({ kind: 'openai', base_url: `${server.url}/v1`, retries: 0 }),
      unused: providerConfig.parse({ kind: 'openai', base_url: server.url, api_key_env: 'OWN_KEY' }),
    },
    env: { OWN_KEY },
  })
  const reporter = createLiveReporter({
    host: 'here',
    secrets: providers.secrets,
    append: (told) => {
      for (const event of told) {
        events.push(event)
        if (!keys.has(event.key)) story.tell(event.event, event)
        keys.add(event.key)
      }
    },
  })
  const moa = openMoa({
    presets: {
      p: moaPreset.parse({ reference_models: [slot('a'), slot('b')], aggregator: slot('act'), ...preset }),
    },
    defaultPreset: null,
    privacy: '',
    providers,
    prices: createPrices({ a: { input: 3, output: 15 }, act: { input: 10, output: 30 } }),
    onPart: reporter.report,
    onCall: (turn) => void turns.set(turn.id, turn),
  })
  const run = async (
    messages = [user('q')],
    signal = new AbortController().signal,
    from: 'gateway' | 'chat' = 'gateway',
  ) => {
    const seen: Record<string, string>[] = []
    const asked = moa.run({
      preset: 'p',
      session: 's',
      ask: { messages, rest: {}, stream: true },
      signal,
      from,
    })
    if (!asked.ok) throw new Error(asked.message)
    for await (const part of asked.value) {
      await reporter.drain()
      if (part.type !== 'chunk') seen.push({ part: part.type, ...plain(story.states()) })
    }
    await reporter.drain()
    return seen
  }
  return { run, story, events, turns: () => [...turns.values()] }
}

/** Replaces generated ids with stable names. */
const plain = (states: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(states).map(([id, state]) => [id.replace(/^ref-\w{8}/, 'ref'), state]))

describe('Live view of a turn', () => {
  it('shows the references starting and finishing, and the acting model', async () => {
    server.script('b', { text: 'later', delay: 500 })
    const { run, story } = opened()
    expect(await run()).toEqual([
      { part: 'asking', main: 'working', 'ref-1': 'working', 'ref-2': 'working' },
      { part: 'progress', main: 'working', 'ref-1': 'done', 'ref-2': 'working' },
      { part: 'progress', main: 'working', 'ref-1': 'done', 'ref-2': 'done' },
      { part: 'reference', main: 'working', 'ref-1': 'done', 'ref-2': 'done' },
      { part: 'reference', main: 'working', 'ref-1': 'done', 'ref-2': 'done' },
      { part: 'aggregating', main: 'working', 'ref-1': 'done', 'ref-2': 'done' },
      { part: 'end', main: 'done', 'ref-1': 'done', 'ref-2': 'done' },
    ])
    const agents = story.rows.entries().map(([, row]) => row)
    expect(agents.length).toBeGreaterThan(0)
    expect(story.agent('main')?.prompt_preview).toBe('q')
  })

  it('ignores the turns of a chat conversation, which reports its own runs', async () => {
    const { run, events } = opened()
    await run(undefined, undefined, 'chat')
    expect(events).toEqual([])
  })

  it('shows the acting model running in every call of a turn', async () => {
    const { run } = opened()
    await run()
    expect(await run([user('q'), ...step(0)])).toMatchObject([
      { part: 'aggregating', main: 'working', 'ref-1': 'done' },
      { part: 'end', main: 'done' },
    ])
  })

  it('shows a new fan-out when references are asked again', async () => {
    const { run } = opened({ fanout: 'per_iteration' })
    await run()
    const [first] = await run([user('q'), ...step(0)])
    expect(first).toEqual({
      part: 'asking',
      main: 'working',
      'ref-1': 'done',
      'ref-2': 'done',
      'ref-2-1': 'working',
      'ref-2-2': 'working',
    })
  })

  it('shows only the acting model if there are no references', async () => {
    expect(await opened({ reference_models: [] }).run()).toEqual([
      { part: 'aggregating', main: 'working' },
      { part: 'end', main: 'done' },
    ])
  })

  it('shows failed references, and no running agent after an abort', async () => {
    server.script('a', { status: 500 })
    const failed = opened()
    expect((await failed.run()).at(-1)).toMatchObject({ main: 'done', 'ref-1': 'failed', 'ref-2': 'done' })
    server.script('a', { hangs: true })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 60)
    const aborted = await opened().run([user('q')], stop.signal)
    expect(aborted.at(-1)).toEqual({ part: 'failed', main: 'done', 'ref-1': 'done', 'ref-2': 'done' })
  })

  it('shows the same cost as the stored turn across all its calls', async () => {
    const { run, turns, events } = opened()
    for (let n = 0; n < 3; n += 1)
      await run([user('q'), ...Array.from({ length: n }, (_, at) => step(at)).flat()])
    const [turn] = turns()
    const told = events.filter(({ event }) => event === 'usage') as unknown as { cost_usd?: number }[]
    const micro = told.reduce((sum, { cost_usd }) => sum + Math.round((cost_usd ?? 0) * 1_000_000), 0)
    // a: 20 × 3 + 30 × 15 + 100 × 3; act three times: 20 × 10 + 30 × 30 + 100 × 10; b has no price
    expect(turn).toMatchObject({ iterations: 3, cost_micro_usd: 810 + 3 * 2_100, cost_unknown: 1 })
    expect(micro).toBe(turn?.cost_micro_usd)
    expect(told).toHaveLength(5)
    expect(turn?.slots.map(({ role, iteration }) => `${role} ${iteration}`)).toEqual([
      'reference null',
      'reference null',
      'aggregator 1',
      'aggregator 2',
      'aggregator 3',
    ])
  })

  it('gives every event a unique key', async () => {
    const { run, events } = opened({ fanout: 'every_n:2' })
    for (let n = 0; n < 5; n += 1)
      await run([user('q'), ...Array.from({ length: n }, (_, at) => step(at)).flat()])
    expect(new Set(events.map(({ key }) => key)).size).toBe(events.length)
  })

  it('keeps provider keys out of questions, errors and the stored turn, whether the provider was used or not', async () => {
    const body = JSON.stringify({ error: { message: `no such thing: ${OWN_KEY}` } })
    server.script('a', { status: 400, body })
    server.script('act', { status: 400, body })
    const { run, turns, events } = opened()
    await run([user(`is ${OWN_KEY} still good, and ${'x'.repeat(260)} ${OWN_KEY}?`)])
    const told = JSON.stringify([turns(), events])
    expect(told).not.toContain(OWN_KEY.slice(0, 12))
    expect(turns()[0]?.question).toMatch(/^is \[redacted\] still good/)
    expect(turns()[0]?.slots[0]?.error?.message).toContain('[redacted]')
    expect(events.find(({ event }) => event === 'prompt')).toMatchObject({
      prompt_preview: expect.stringMatching(/^is \[redacted\] still good/),
    })
  })
})

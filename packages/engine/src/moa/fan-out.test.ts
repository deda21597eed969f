import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ScriptedServer, startScripted } from '../models/providers/scripted.test-kit.ts'
import { callOf, slot, turnsOn, user } from './turn.test-kit.ts'

let server: ScriptedServer
let run: ReturnType<typeof turnsOn>
beforeAll(async () => {
  server = await startScripted()
})
afterAll(() => server.close())
afterEach(() => {
  server.requests.length = 0
  server.left.length = 0
  for (const model of ['a', 'b', 'c', 'act']) server.script(model, { text: `${model} says so` })
  run = turnsOn(server, PRICES)
})
const PRICES = {
  a: { input: 3, output: 15, cache_read: 0.3 },
  b: { input: 1, output: 2 },
  act: { input: 10, output: 30 },
}
beforeAll(() => {
  run = turnsOn(server, PRICES)
})

const of = (model: string) => server.requests.filter(({ body }) => body.model === model)
const guidance = () => String(of('act').at(-1)?.body.messages.at(-1)?.content)
const errors = (call: ReturnType<typeof callOf>) => call.advised.map(({ error }) => error?.class ?? null)

describe('fan-out to the references of a preset', () => {
  it("sends references no tools and none of the client's parameters", async () => {
    await run(
      { reference_models: [slot('a'), slot('b', { reasoning_effort: 'low' })], reference_temperature: 0.3 },
      {
        rest: {
          tools: [{ type: 'function', function: { name: 'x' } }],
          tool_choice: 'auto',
          reasoning_effort: 'high',
          temperature: 1,
          max_tokens: 5,
          response_format: { type: 'json_object' },
          user: 'u',
        },
      },
    )
    const plain = {
      messages: expect.anything(),
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.3,
    }
    expect(of('a')[0]?.body).toEqual({ model: 'a', ...plain })
    expect(of('b')[0]?.body).toEqual({ model: 'b', reasoning_effort: 'low', ...plain })
    expect(of('a')[0]?.body.messages.map(({ role }) => role)).toEqual(['system', 'user'])
  })

  it("keeps the preset's order regardless of who answers first, and may ask the same model twice", async () => {
    server.script('a', { text: 'slow', delay: 80 })
    server.script('b', { text: 'fast' })
    const parts = await run({ reference_models: [slot('a'), slot('b'), slot('b')] })
    const done = parts.flatMap((part) => (part.type === 'progress' ? [part.label] : []))
    expect(done).toEqual(['local:b', 'local:b', 'local:a'])
    expect(callOf(parts).advised.map(({ reply }) => reply?.text)).toEqual(['slow', 'fast', 'fast'])
    expect(guidance()).toMatch(
      /Reference 1 — local:a\nslow\n\nReference 2 — local:b\nfast\n\nReference 3 — local:b\nfast/,
    )
  })

  it('asks eight references at once and queues the others', async () => {
    server.script('a', { text: 'x', delay: 400 })
    await run({ reference_models: Array.from({ length: 12 }, () => slot('a')) })
    const [first = 0] = of('a').map(({ at }) => at)
    const early = of('a').filter(({ at }) => at - first < 350)
    expect([early.length, of('a').length]).toEqual([8, 12])
  })

  it('continues when a reference fails, and counts an empty answer as an answer', async () => {
    server.script('a', { status: 500 })
    server.script('b', { text: '' })
    const parts = await run({})
    expect(errors(callOf(parts))).toEqual(['overloaded', null])
    expect(guidance()).toContain('Reference 1 — local:b\n(empty response)')
    const texts = parts.flatMap((part) => (part.type === 'reference' ? [part.text] : []))
    expect(texts).toEqual([expect.stringMatching(/^\[failed: /), '(empty response)'])
  })

  it('lets the acting model answer alone when all references fail, with or without a note', async () => {
    for (const model of ['a', 'b']) server.script(model, { status: 401 })
    expect(callOf(await run({}))).toMatchObject({ status: 'done' })
    expect(guidance()).toMatch(/no reference could be asked.*local:a, local:b.*own judgement/)
    await run({ degraded_reference_policy: 'silent' }, { session: 'silent' })
    expect(of('act').at(-1)?.body.messages).toEqual([user('q')])
  })

  it('names failed references if the preset says so, and never quotes their errors', async () => {
    server.script('a', { status: 500, body: '{"error":{"message":"inner trouble"}}' })
    await run({})
    expect(guidance()).toContain('Not available: local:a.')
    expect(guidance()).not.toContain('inner trouble')
    await run({ degraded_reference_policy: 'silent' }, { session: 'silent' })
    expect(guidance()).not.toMatch(/local:a\b/)
  })

  it('gives up on a reference after its own timeout, even while it is still streaming', async () => {
    server.script('a', { text: 'a long story '.repeat(10), pieces: 120, pace: 100 })
    const began = performance.now()
    const call = callOf(await run({ reference_timeout: 2 }))
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(errors(call)).toEqual(['timeout', null])
    expect(call.advised[0]?.error).toMatchObject({
      message: 'It did not answer within 2 s.',
      partial: expect.stringMatching(/a/),
    })
  })

  it('accepts a timeout longer than a timer can be set for', async () => {
    expect(errors(callOf(await run({ reference_timeout: 1e9, deadline: 1e9 })))).toEqual([null, null])
  })

  it('waits until the deadline and uses the answers it has by then', async () => {
    server.script('a', { hangs: true })
    const call = callOf(await run({ deadline: 2 }))
    expect(errors(call)).toEqual(['timeout', null])
    expect(guidance()).toContain('b says so')
    await expect.poll(() => server.left.length).toBe(1)
  })

  it('stops the remaining references when enough have answered', async () => {
    server.script('a', { hangs: true })
    const call = callOf(await run({ reference_models: [slot('a'), slot('b'), slot('c')], quorum: 2 }))
    expect(errors(call)).toEqual(['skipped', null, null])
    expect(call.advised[0]?.usage).toBeNull()
  })

  it('does not count an empty answer as enough', async () => {
    server.script('a', { text: '' })
    server.script('b', { text: ' \n' })
    server.script('c', { text: 'a word', delay: 30 })
    const call = callOf(await run({ reference_models: [slot('a'), slot('b'), slot('c')], quorum: 1 }))
    expect(errors(call)).toEqual([null, null, null])
    expect(guidance()).toContain('a word')
  })

  it("skips references that would exceed the preset's budget", async () => {
    const call = callOf(await run({ max_cost_usd: 0.004 }))
    expect(errors(call)).toEqual(['skipped', null])
    expect(of('a')).toHaveLength(0)
  })

  it('skips references that no longer fit when earlier ones have used up the budget', async () => {
    // One call of b costs about $0.0025, so the budget covers one of them, not two.
    const call = callOf(
      await run({ reference_models: [slot('b'), slot('b'), slot('c'), slot('b')], max_cost_usd: 0.004 }),
    )
    expect(errors(call)).toEqual([null, 'skipped', null, 'skipped'])
    expect(of('b')).toHaveLength(1)
  })

  it('skips references that name a preset, and all of them if the slot or preset is disabled', async () => {
    const recursive = { provider: 'moa', model: 'p' }
    const call = callOf(await run({ reference_models: [recursive, slot('b')] }))
    expect(errors(call)).toEqual(['skipped', null])
    await expect(run({ aggregator: recursive })).rejects.toThrow(
      /aggregator of p is a preset\. It must be a model/,
    )
    server.requests.length = 0
    expect(
      callOf(await run({ reference_models: [slot('a', { enabled: false }), slot('b')] }, { session: 'off' }))
        .advised,
    ).toHaveLength(1)
    expect(callOf(await run({ enabled: false }, { session: 'none' }))).toMatchObject({
      advised: [],
      fanOut: 'none',
    })
    expect(of('act').at(-1)?.body.messages).toEqual([user('q')])
    expect(of('a')).toHaveLength(0)
  })

  it('trims a long conversation for references with a small window', async () => {
    const long = [user('x'.repeat(9_000)), user('y'), { role: 'assistant', content: 'y' }, user('now')]
    await run({ reference_models: [slot('a'), { provider: 'small', model: 'b' }] }, { messages: long })
    expect([of('a')[0]?.body.messages.length, of('b')[0]?.body.messages.length]).toEqual([5, 4])
  })

  it('prices each reference by its own price to the micro-dollar, and leaves unpriced ones unknown', async () => {
    const call = callOf(await run({ reference_models: [slot('a'), slot('b'), slot('c')] }))
    // 20 tokens of input, 30 of output, 100 from the cache
    expect(call.advised.map(({ costMicroUsd }) => costMicroUsd)).toEqual([540, 180, null])
    expect(call.acted?.costMicroUsd).toBe(2_100)
  })

  it('reports no usage if the provider reported none', async () => {
    server.script('a', { text: 'x', usage: null })
    expect(callOf(await run({})).advised[0]).toMatchObject({ usage: null, costMicroUsd: null })
  })

  it('stops all references at once on abort and keeps what they returned', async () => {
    server.script('a', { hangs: true })
    server.script('b', { text: 'a long story '.repeat(20), pieces: 240, pace: 50 })
    server.script('c', { delay: 60_000 })
    const stop = new AbortController()
    const running = run(
      { reference_models: [slot('a'), slot('b'), slot('c'), slot('a')] },
      { signal: stop.signal },
    )
    await expect.poll(() => server.requests.length, { timeout: 30_000, interval: 5 }).toBe(4)
    // Nothing shows that the first words of b have arrived before the turn ends.
    await new Promise((done) => setTimeout(done, 1_000))
    const at = performance.now()
    stop.abort()
    const call = callOf(await running)
    await expect.poll(() => server.left.length, { timeout: 30_000, interval: 5 }).toBe(4)
    for (const left of server.left) expect(left - at).toBeLessThan(5_000)
    expect(call).toMatchObject({ status: 'aborted', acted: null })
    expect(call.advised.map(({ error, usage }) => [error?.class, error?.message, usage])).toEqual(
      Array.from({ length: 4 }, () => ['aborted', 'interrupted by user', null]),
    )
    expect(call.advised[1]?.error?.partial).toMatch(/^a/)
    expect(of('act')).toHaveLength(0)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type ScriptedRequest,
  type ScriptedServer,
  startScripted,
} from '../models/providers/scripted.test-kit.ts'
import { callOf, slot, step, turnsOn, user } from './turn.test-kit.ts'

let server: ScriptedServer
let run: ReturnType<typeof turnsOn>
beforeAll(async () => {
  server = await startScripted()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
  server.left.length = 0
  for (const model of ['a', 'b', 'act']) server.script(model, { text: `${model} says so` })
  run = turnsOn(server)
})

const of = (model: string) => server.requests.filter(({ body }) => body.model === model)
const sent = () => of('act').at(-1)?.body
const guidance = () => String(sent()?.messages.at(-1)?.content)
const calls = () => ['a', 'b', 'act'].map((model) => of(model).length)

/** Length of the common prefix of two texts. */
function common(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

describe('twenty calls of one turn', () => {
  const system = { role: 'system', content: 'be good' }
  const tools = [{ type: 'function', function: { name: 'run', parameters: { type: 'object' } } }]
  it.each([
    ['OpenAI', slot('act'), '{"role":"user","content":"[Mixture of Agents'],
    ['Anthropic', { provider: 'claude', model: 'act' }, '{"type":"text","text":"[Mixture of Agents'],
  ])(
    'ask the references once and keep the prompt prefix stable, on the wire of %s',
    async (_wire, aggregator, mark) => {
      let messages = [system, user('fix it')]
      for (let n = 0; n < 20; n += 1) {
        const call = callOf(await run({ aggregator }, { messages, rest: { tools, seed: 7 } }))
        expect(call).toMatchObject({ status: 'done', iteration: n + 1, fanOut: n === 0 ? 'miss' : 'hit' })
        expect(call.advised).toHaveLength(n === 0 ? 2 : 0)
        messages = [...messages, ...step(n)]
      }
      expect(calls()).toEqual([1, 1, 20])
      const bodies = of('act').map(({ text }) => text)
      for (const [at, body] of bodies.entries()) {
        const advice = body.indexOf(mark)
        expect(advice).toBeGreaterThan(0)
        expect(body.slice(advice)).toContain('a says so')
        // Everything except the comma before the guidance and the closing bracket of the array.
        const next = bodies[at + 1]
        if (next !== undefined) expect(common(body, next)).toBeGreaterThanOrEqual(advice - 1)
      }
      // The tools do not grow, so they come before the messages, which do.
      expect(bodies[0]?.indexOf('"tools"')).toBeLessThan(bodies[0]?.indexOf('"messages"') ?? 0)
    },
  )

  it('report and charge nothing for references that were not asked', async () => {
    await run({})
    const parts = await run({}, { messages: [user('q'), ...step(0)] })
    expect(parts.map(({ type }) => type).filter((type) => type !== 'chunk')).toEqual(['aggregating', 'end'])
    expect(callOf(parts).advised).toEqual([])
    expect(guidance()).toContain('b says so')
  })

  it('ask again for each changed state if the preset says so', async () => {
    for (let n = 0; n < 3; n += 1)
      await run(
        { fanout: 'per_iteration' },
        { messages: [user('q'), ...Array.from({ length: n }, (_, at) => step(at)).flat()] },
      )
    expect(calls()).toEqual([3, 3, 3])
    expect(of('a')[2]?.body.messages.at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringMatching(/Judge the state/),
    })
  })
})

describe('two concurrent requests', () => {
  it('share one fan-out if they are equal', async () => {
    server.script('a', { text: 'slow', delay: 80 })
    const both = await Promise.all([run({}), run({})])
    expect(both.map((parts) => callOf(parts).fanOut)).toEqual(['miss', 'hit'])
    expect(calls()).toEqual([1, 1, 2])
    expect(of('act').every(({ text }) => text.includes('slow'))).toBe(true)
  })

  it('ask again, once, when the request that asked is aborted', async () => {
    for (const model of ['a', 'b']) server.script(model, { hangs: true })
    const stop = new AbortController()
    const running = Promise.all([run({}, { signal: stop.signal }), run({}), run({})])
    await expect.poll(calls, { timeout: 30_000, interval: 5 }).toEqual([1, 1, 0])
    for (const model of ['a', 'b']) server.script(model, { text: 'slow' })
    stop.abort()
    const all = await running
    expect(all.map((parts) => [callOf(parts).status, callOf(parts).fanOut])).toEqual([
      ['aborted', 'miss'],
      ['done', 'miss'],
      ['done', 'hit'],
    ])
    expect(calls()).toEqual([2, 2, 2])
  })

  it('do not block each other when the waiting one is aborted', async () => {
    server.script('a', { text: 'slow', delay: 1_000 })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 50)
    let isFirstOver = false
    const first = run({}).finally(() => {
      isFirstOver = true
    })
    expect(callOf(await run({}, { signal: stop.signal }))).toMatchObject({ status: 'aborted', advised: [] })
    expect(isFirstOver).toBe(false)
    expect(callOf(await first).status).toBe('done')
    expect(calls()).toEqual([1, 1, 1])
  })

  it('start a new turn for an answered question, but not for a retry of a failed one', async () => {
    server.script('act', { status: 500 }, { text: 'first' }, { text: 'second' })
    const calls = []
    for (let n = 0; n < 3; n += 1) calls.push(callOf(await run({})))
    expect(calls.map(({ fanOut, status }) => [fanOut, status])).toEqual([
      ['miss', 'failed'],
      ['hit', 'done'],
      ['miss', 'done'],
    ])
    expect(calls[1]?.turnId).toBe(calls[0]?.turnId)
    expect(calls[2]?.turnId).not.toBe(calls[1]?.turnId)
  })

  it('share nothing across sessions', async () => {
    await Promise.all([run({}, { session: 'one' }), run({}, { session: 'two' })])
    expect(calls()).toEqual([2, 2, 2])
  })

  it('start a new fan-out after an aborted one', async () => {
    server.script('a', { hangs: true })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 50)
    await run({}, { signal: stop.signal })
    server.script('a', { text: 'now' })
    expect(callOf(await run({})).fanOut).toBe('miss')
    expect(guidance()).toContain('now')
  })
})

describe('acting model', () => {
  it.each([true, false])('receives every client parameter unchanged, streamed: %s', async (stream) => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } }
    const messages = [
      {
        role: 'developer',
        content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
        name: 'n',
      },
      { role: 'user', content: [{ type: 'text', text: 'see' }, image], extra: 1 },
    ]
    const rest = {
      tools: [{ type: 'function', function: { name: 'x', strict: true, parameters: { type: 'object' } } }],
      tool_choice: { type: 'function', function: { name: 'x' } },
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
      parallel_tool_calls: false,
      logprobs: true,
      some_new_thing: { deep: [1, null, 'ü'] },
      temperature: 0.7,
    }
    await run({}, { messages, rest, stream })
    const {
      messages: had,
      stream: _stream,
      stream_options,
      ...others
    } = (sent() ?? {}) as Partial<ScriptedRequest['body']>
    expect(others).toEqual({ model: 'act', ...rest })
    expect(stream_options).toEqual(stream ? { include_usage: true } : undefined)
    expect(had?.slice(0, -1)).toEqual(messages)
    expect(had?.at(-1)?.role).toBe('user')
  })

  it('prefers the temperature and effort of its slot over those of the client', async () => {
    const rest = { temperature: 1, reasoning_effort: 'low' }
    await run(
      { aggregator: slot('act', { reasoning_effort: 'high' }), aggregator_temperature: 0.2 },
      { rest },
    )
    expect(sent()).toMatchObject({ temperature: 0.2, reasoning_effort: 'high' })
    await run({}, { rest, session: 'other' })
    expect(sent()).toMatchObject(rest)
    await run({}, { session: 'third' })
    expect(sent()).not.toHaveProperty('temperature')
  })

  it('forwards every part as it arrives: calls, reasoning, refusals, logprobs', async () => {
    const frame = (choices: object[], more: object = {}) =>
      `data: ${JSON.stringify({ id: 'x', choices, ...more })}\n\n`
    const deltas = [
      { role: 'assistant', reasoning_content: 'hm' },
      { refusal: 'no' },
      { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'x', arguments: '{' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '}' } }] },
    ]
    const choices = [
      ...deltas.map((delta) => [{ index: 0, delta, finish_reason: null, logprobs: { content: [1] } }]),
      [{ index: 1, delta: { content: 'second' }, finish_reason: 'stop' }],
      [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
    ]
    server.script('act', {
      body: `${choices.map((each) => frame(each, { service_tier: 'flex' })).join('')}data: [DONE]\n\n`,
      headers: { 'content-type': 'text/event-stream' },
    })
    const parts = await run({}, { rest: { n: 2 } })
    const chunks = parts.flatMap((part) => (part.type === 'chunk' ? [part.chunk] : []))
    expect(chunks.map((chunk) => chunk.choices)).toEqual(choices)
    expect(chunks[0]).toMatchObject({ service_tier: 'flex' })
    expect(callOf(parts).acted?.reply?.message).toMatchObject({
      reasoning_content: 'hm',
      refusal: 'no',
      tool_calls: [{ id: 'c', function: { name: 'x', arguments: '{}' } }],
    })
    expect(callOf(parts).acted?.usage).toBeNull()
  })

  it('returns a whole answer with everything in it', async () => {
    const answer = {
      id: 'x',
      service_tier: 'flex',
      system_fingerprint: 'fp',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'one', annotations: [1] },
          logprobs: { content: [] },
          finish_reason: 'stop',
        },
        { index: 1, message: { role: 'assistant', content: 'two' }, finish_reason: 'stop' },
      ],
    }
    server.script('act', { body: JSON.stringify(answer) })
    const last = (await run({}, { stream: false, rest: { n: 2 } })).at(-1)
    expect(last).toMatchObject({ type: 'end', reply: { text: 'one', usage: null, answer } })
  })

  it('ends the turn as failed when it fails or dies, with its partial answer', async () => {
    server.script('act', { status: 500 })
    expect(callOf(await run({}))).toMatchObject({
      status: 'failed',
      acted: { error: { class: 'overloaded' } },
    })
    server.script('act', { text: 'half of it', pieces: 10, pace: 20, diesAfter: 4 })
    expect(callOf(await run({}))).toMatchObject({
      status: 'failed',
      iteration: 2,
      fanOut: 'hit',
      acted: { error: { class: 'network', partial: expect.stringMatching(/^ha/) }, usage: null },
    })
  })

  it('stops when the turn is stopped', async () => {
    server.script('act', { text: 'a long story', pieces: 12, pace: 50 })
    const stop = new AbortController()
    const parts = await run(
      {},
      { signal: stop.signal, onPart: ({ type }) => type === 'chunk' && stop.abort() },
    )
    expect(callOf(parts)).toMatchObject({ status: 'aborted', acted: { error: { class: 'aborted' } } })
    await expect.poll(() => server.left.length).toBe(1)
  })
})

describe('endpoint that requires alternating turns', () => {
  const shape = () => of('act').map(({ body }) => body.messages.map(({ role }) => role).join(' '))
  const refusal = { status: 400, body: JSON.stringify({ error: { message: 'roles must alternate' } }) }

  it('gets the guidance inside the last message for the rest of its session', async () => {
    server.script('act', refusal, { text: 'yes' })
    expect(callOf(await run({})).status).toBe('done')
    await run({}, { messages: [user('q'), ...step(0)] })
    await run({}, { messages: [user([{ type: 'text', text: 'other' }])] })
    await run({}, { session: 'other' })
    expect(shape()).toEqual(['user user', 'user', 'user assistant tool', 'user', 'user user'])
    const [, first, second, third] = of('act').map(({ body }) => body.messages.at(-1)?.content)
    expect(first).toMatch(/^q\n\n\[Mixture of Agents/)
    expect(second).toMatch(/^result 0\n\n\[Mixture of Agents/)
    expect(third).toEqual([
      { type: 'text', text: 'other' },
      { type: 'text', text: expect.stringMatching(/^\[Mixture of Agents/) },
    ])
  })

  it('is not assumed if alternating does not help or the rejection was about size', async () => {
    server.script('act', { status: 400 })
    expect(callOf(await run({})).status).toBe('failed')
    await run({})
    expect(shape()).toEqual(['user user', 'user', 'user user', 'user'])
    server.requests.length = 0
    server.script('act', {
      status: 400,
      body: JSON.stringify({ error: { code: 'context_length_exceeded' } }),
    })
    await run({})
    expect(shape()).toEqual(['user user'])
  })
})

describe('privacy filter', () => {
  const said = 'write to ada@example.org'
  const shown = async (privacy: '' | 'display' | 'full') => {
    server.script('a', { text: said })
    const parts = await run({}, { privacy, session: privacy })
    const told = parts.find((part) => part.type === 'reference')
    return {
      told: told?.type === 'reference' && told.text,
      given: guidance().includes(said),
      kept: callOf(parts).advised[0]?.reply?.text,
    }
  }

  it("removes personal details from the view, or also from the acting model's input, and keeps memory unfiltered", async () => {
    expect(await shown('')).toEqual({ told: said, given: true, kept: said })
    expect(await shown('display')).toEqual({ told: 'write to [email]', given: true, kept: said })
    expect(await shown('full')).toEqual({ told: 'write to [email]', given: false, kept: said })
    await run({}, { session: 'full', messages: [user('q'), ...step(0)] })
    expect(guidance()).toContain(said)
  })
})

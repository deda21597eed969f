import type OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from './gateway-clients.test-kit.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  gateway.scripted.script('a', { text: 'one says' })
  gateway.scripted.script('b', { text: 'two says' })
})
afterAll(() => gateway.stop())

type Asked = OpenAI.Responses.ResponseCreateParamsNonStreaming
type Event = OpenAI.Responses.ResponseStreamEvent
const of = (session: string) => ({ headers: { 'X-Panoptes-Session-Id': session } })
const eventsOf = async (asked: Asked, session = 'events'): Promise<Event[]> => {
  const events: Event[] = []
  const stream = await gateway.client.responses.create({ ...asked, stream: true }, of(session))
  for await (const event of stream) events.push(event)
  return events
}
const typesOf = (events: readonly Event[]) =>
  events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])

const STEP = {
  type: 'function' as const,
  name: 'step',
  description: 'Does a step.',
  strict: false,
  parameters: { type: 'object', properties: { n: { type: 'integer' } } },
}

describe.each([true, false])('the tool loop of client.responses, streamed: %s', (stream) => {
  it('asks the references once, keeps the prefix, and is one turn', async () => {
    const session = `responses-${stream}`
    const [advised, acted] = [gateway.asked('a').length, gateway.asked('act').length]
    const call = (n: number) => ({ calls: [{ id: `call_${n}`, name: 'step', input: { n } }] })
    gateway.scripted.script('act', { text: 'First.', ...call(1) }, call(2), { text: 'through' })
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: `Do it, ${session}.` }]
    const ask = async (): Promise<OpenAI.Responses.Response> => {
      const asked = { model: 'moa/p', instructions: 'Work in steps.', input, tools: [STEP] }
      if (!stream) return gateway.client.responses.create(asked, of(session))
      return gateway.client.responses.stream(asked, of(session)).finalResponse()
    }
    const steps: unknown[] = []
    let reply = await ask()
    expect(reply.output.map(({ type }) => type)).toEqual(['message', 'function_call'])
    for (;;) {
      const calls = reply.output.filter((item) => item.type === 'function_call')
      if (calls.length === 0) break
      for (const item of reply.output) input.push(item as never)
      for (const { call_id, name, arguments: given } of calls) {
        steps.push([call_id, name, JSON.parse(given)])
        input.push({ type: 'function_call_output', call_id, output: 'done' })
      }
      reply = await ask()
    }
    const words = reply.output.flatMap((item) => (item.type === 'message' ? item.content : []))
    expect(words).toMatchObject([{ type: 'output_text', text: 'through' }])
    expect(reply).toMatchObject({ object: 'response', status: 'completed', model: 'moa/p', store: false })
    expect(reply.usage).toMatchObject({
      input_tokens: 120,
      input_tokens_details: { cached_tokens: 100 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 10 },
      total_tokens: 150,
    })
    expect(steps).toEqual([
      ['call_1', 'step', { n: 1 }],
      ['call_2', 'step', { n: 2 }],
    ])

    expect(gateway.asked('a').length - advised).toBe(1)
    const requests = gateway.asked('act').slice(acted)
    expect(requests).toHaveLength(3)
    const [first, , last] = requests.map(({ body }) => body.messages.slice(0, -1))
    expect(JSON.stringify(last?.slice(0, first?.length))).toBe(JSON.stringify(first))
    expect(last).toMatchObject([
      { role: 'system', content: 'Work in steps.' },
      { role: 'user', content: `Do it, ${session}.` },
      { role: 'assistant', content: 'First.', tool_calls: [{ id: 'call_1', function: { name: 'step' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_2' }] },
      { role: 'tool', tool_call_id: 'call_2', content: 'done' },
    ])
    const [turn, ...others] = await gateway.turns(session)
    expect(others).toEqual([])
    expect(turn).toMatchObject({ iterations: 3, status: 'done', from: 'gateway' })
    expect(await gateway.lines(session)).toHaveLength(3)
  })
})

describe('the events of a response', () => {
  it('come in order with their sequence numbers: reasoning, text, calls, the end', async () => {
    const calls = [{ id: 'c1', name: 'step', input: { n: 1 } }]
    gateway.scripted.script('act', { reasoning: 'hm', text: 'Größe 例', pieces: 3, calls })
    const events = await eventsOf({ model: 'local/act', input: 'Go.', tools: [STEP] })
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at))
    expect(typesOf(events)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ])
    const said = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
    expect(said).toHaveLength(3)
    expect(said.join('')).toBe('Größe 例')
    const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []))
    const end = events.at(-1)
    expect(end?.type === 'response.completed' && end.response.output).toEqual(done)
  })

  it('name the error of a failed response, and report no broken-off call as done', async () => {
    const calls = [{ id: 'c1', name: 'step', input: { n: 1 } }]
    gateway.scripted.script('act', { calls, diesAfter: 3, pace: 10 })
    const events = await eventsOf({ model: 'local/act', input: 'Go.', tools: [STEP] })
    expect(typesOf(events).slice(-3)).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.failed',
    ])
    const end = events.at(-1)
    expect(end?.type === 'response.failed' && end.response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error' },
    })
  })

  it.each([
    [401, 'invalid_prompt'],
    [429, 'rate_limit_exceeded'],
    [500, 'server_error'],
  ])('map status %d to the code %s', async (status, code) => {
    gateway.scripted.script('act', { status })
    const end = (await eventsOf({ model: 'local/act', input: 'Go.' })).at(-1)
    expect(end?.type === 'response.failed' && end.response.error?.code).toBe(code)
    await expect(gateway.client.responses.create({ model: 'local/act', input: 'Go.' })).rejects.toMatchObject(
      {
        status: status === 500 ? 503 : status,
      },
    )
  })

  it('end as incomplete at the output limit', async () => {
    const cut = (finish_reason: string) => ({
      body: JSON.stringify({ choices: [{ index: 0, message: { content: 'so far' }, finish_reason }] }),
    })
    gateway.scripted.script('act', cut('length'))
    const reply = await gateway.client.responses.create({ model: 'local/act', input: 'Go.' })
    expect(reply).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output_text: 'so far',
      usage: null,
    })
    const end = (await eventsOf({ model: 'local/act', input: 'Go.' })).at(-1)
    expect(end?.type).toBe('response.incomplete')
  })

  it('carry the progress of references as comments in between', async () => {
    gateway.scripted.script('act', { text: 'ok' })
    const reply = await fetch(`${gateway.address}/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'moa/p', input: 'Is it so?', stream: true }),
    })
    expect(await reply.text()).toMatch(/^: moa\.\w+ \{/m)
  })

  it('stop with the client, which aborts every call', async () => {
    gateway.scripted.script('act', { text: 'x'.repeat(400), pieces: 400, pace: 20 })
    const before = gateway.scripted.left.length
    const stop = new AbortController()
    const stream = await gateway.client.responses.create(
      { model: 'moa/p', input: 'Go on for ever.', stream: true },
      { ...of('left'), signal: stop.signal },
    )
    for await (const event of stream) if (event.type === 'response.output_text.delta') stop.abort()
    await expect.poll(() => gateway.scripted.left.length - before, { interval: 5 }).toBe(1)
    await expect.poll(async () => (await gateway.turns('left'))[0]?.status).not.toBe('done')
  })
})

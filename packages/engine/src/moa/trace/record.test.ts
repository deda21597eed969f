import { moaPreset } from '@panoptes/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedServer, startScripted } from '../../models/providers/scripted.test-kit.ts'
import { type Asked, callOf, slot, step, turnsOn, user } from '../turn.test-kit.ts'
import { type RecordOptions, toTraceRecord } from './record.ts'

let server: ScriptedServer
let run: ReturnType<typeof turnsOn>
beforeAll(async () => {
  server = await startScripted()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
  for (const model of ['a', 'b', 'act']) server.script(model, { text: `${model} says so` })
  run = turnsOn(server, { a: { input: 3, output: 15 }, act: { input: 10, output: 30 } })
})

const PRESET = { reference_models: [slot('a'), slot('b')], aggregator: slot('act') }
async function recorded(asked: Asked = {}, about: Partial<RecordOptions> = {}, preset: object = {}) {
  const call = callOf(await run(preset, asked))
  const read = moaPreset.parse({ ...PRESET, ...preset })
  return toTraceRecord(call, { session: 's/1', preset: read, privacy: '', ...about })
}

const SECRET = `sk-ant-api03-${'aB3dE5fG7h'.repeat(9)}`
const SLOT = ['label', 'model', 'provider', 'temperature', 'input_messages', 'output']

describe('trace line', () => {
  it('has the documented keys first, in order, with the input, output and cost of each model', async () => {
    const before = Date.now() / 1_000
    const line = await recorded(
      { messages: [{ role: 'system', content: 'x' }, user('q')] },
      {},
      { reference_temperature: 0.5 },
    )
    expect(Object.keys(line).slice(0, 5)).toEqual(['ts', 'session_id', 'preset', 'references', 'aggregator'])
    expect(Object.keys(line.references[0] ?? {}).slice(0, 10)).toEqual([
      ...SLOT,
      'usage',
      'cost_usd',
      'cost_status',
      'cost_source',
    ])
    expect(Object.keys(line.aggregator).slice(0, 8)).toEqual([...SLOT, 'streamed', 'output_location'])
    expect(line.ts).toBeGreaterThanOrEqual(before)
    expect(line).toMatchObject({ session_id: 's/1', preset: 'p', iteration: 1, status: 'done' })
    const usage = {
      input_tokens: 20,
      output_tokens: 30,
      cache_read_tokens: 100,
      cache_write_tokens: 0,
      reasoning_tokens: 10,
    }
    const sent = (model: string) => server.requests.find(({ body }) => body.model === model)?.body.messages
    expect(line.references[0]).toMatchObject({
      label: 'local:a',
      model: 'a',
      provider: 'local',
      temperature: 0.5,
      input_messages: sent('a'),
      output: 'a says so',
      usage,
      cost_usd: 0.00081,
      cost_status: 'estimated',
      cost_source: 'user_override',
      error: null,
    })
    expect(line.references[1]).toMatchObject({ cost_usd: null, cost_status: 'unknown', cost_source: 'none' })
    expect(line.aggregator).toMatchObject({
      temperature: null,
      input_messages: sent('act'),
      output: 'act says so',
      usage,
      cost_usd: 0.0021,
      guidance: 'message',
    })
    const { started_at, first_token_at, ended_at } = line.aggregator
    expect(started_at).toBeLessThanOrEqual(first_token_at ?? 0)
    expect(first_token_at).toBeLessThanOrEqual(ended_at ?? 0)
  })

  it('has no references for a further call, but the same turn and the calls made', async () => {
    const first = await recorded()
    server.script('act', { calls: [{ id: 'c', name: 'run', input: { key: SECRET } }] })
    const line = await recorded({ messages: [user('q'), ...step(0)] })
    expect(line).toMatchObject({ turn_id: first.turn_id, iteration: 2, references: [] })
    expect(line.aggregator).toMatchObject({
      output: null,
      output_location: 'inline_from_stream',
      tool_calls: [{ id: 'c' }],
    })
    expect(JSON.stringify(line)).not.toContain('aB3dE5')
  })

  it('states where the answer is: streamed, whole, or among the messages of a chat', async () => {
    expect((await recorded()).aggregator).toMatchObject({
      streamed: true,
      output_location: 'inline_from_stream',
    })
    expect((await recorded({ stream: false })).aggregator).toMatchObject({
      streamed: false,
      output_location: 'inline',
      output: 'act says so',
    })
    expect((await recorded({}, { inSessionDb: true })).aggregator).toMatchObject({
      output_location: 'assistant_message_in_session_db',
      output: 'act says so',
    })
  })

  it('distinguishes failed, skipped and empty references, and never invents usage', async () => {
    server.script('a', { status: 500, body: `{"error":{"message":"trouble with ${SECRET}"}}` })
    server.script('b', { text: '', usage: null })
    const line = await recorded(
      {},
      {},
      { reference_models: [slot('a'), slot('b'), { provider: 'moa', model: 'p' }] },
    )
    expect(
      line.references.map(({ output, error, usage, cost_usd }) => [output, error, usage, cost_usd]),
    ).toEqual([
      [expect.stringMatching(/^\[failed: 500 trouble with /), 'overloaded', {}, null],
      ['(empty response)', null, {}, null],
      ['[skipped: A preset cannot be a reference.]', 'skipped', {}, null],
    ])
    expect(JSON.stringify(line)).not.toContain('aB3dE5')
  })

  it('exists for a failed turn, with its partial answer, and for a stopped turn', async () => {
    server.script('act', { text: 'half of it', pieces: 10, pace: 20, diesAfter: 4 })
    expect(await recorded()).toMatchObject({
      status: 'failed',
      aggregator: { error: 'network', output: expect.stringMatching(/^ha/), usage: {} },
    })
    server.script('b', { hangs: true })
    const stop = new AbortController()
    const asked: Asked = {
      session: 'other',
      signal: stop.signal,
      onPart: ({ type }) => type === 'progress' && stop.abort(),
    }
    expect(await recorded(asked)).toMatchObject({
      status: 'aborted',
      references: [{ output: 'a says so' }, { output: '[skipped: interrupted by user]', error: 'aborted' }],
      aggregator: { input_messages: null, output: null, error: 'aborted' },
    })
  })

  it('omits secrets anywhere and keeps everything else', async () => {
    for (const model of ['a', 'b', 'act']) server.script(model, { text: `say ${SECRET}`, reasoning: SECRET })
    const long = `${'x'.repeat(4_000)} API_KEY=${'q9W'.repeat(4)}R7t5 ${'y'.repeat(50)} the end`
    const line = await recorded({
      messages: [
        { role: 'system', content: `token ${SECRET}` },
        user([{ type: 'text', text: long }]),
        {
          role: 'assistant',
          tool_calls: [
            {
              id: 'c',
              type: 'function',
              function: { name: 'x', arguments: JSON.stringify({ key: SECRET }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: `password: hunter2hunter2\nBearer ${SECRET}` },
      ],
      rest: { tools: [], metadata: { api_key: SECRET } },
    })
    const text = JSON.stringify(line)
    expect(text).not.toContain('aB3dE5')
    expect(text).not.toContain('hunter2hunter2')
    expect(JSON.stringify(line.aggregator.input_messages)).toContain('the end')
  })

  it('omits personal details from the advisory view or from everything, as the filter says', async () => {
    const said = 'ask ada@example.org or 415-555-2671'
    server.script('a', { text: said })
    for (const privacy of ['display', 'full'] as const)
      expect(
        JSON.stringify(await recorded({ privacy, session: privacy, messages: [user(said)] }, { privacy })),
      ).not.toMatch(/ada@|555-2671/)
    expect(JSON.stringify(await recorded({ messages: [user(said)] }))).toMatch(/ada@.*555-2671/)
  })
})

it("states whether a price is the user's own, from the catalogue, or unknown", async () => {
  const call = callOf(await run(PRESET))
  const preset = moaPreset.parse(PRESET)
  const listed = { ...call, advised: call.advised.map((one) => ({ ...one, hasOwnPrice: false })) }
  const sources = [call, listed].map((each) =>
    toTraceRecord(each, { session: 's', preset, privacy: '' }).references.map(
      ({ cost_source }) => cost_source,
    ),
  )
  expect(sources).toEqual([
    ['user_override', 'none'],
    ['official_docs_snapshot', 'none'],
  ])
})

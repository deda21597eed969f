import { openProviders } from '@panoptes/engine/models'
import { moaPreset } from '@panoptes/schema'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createPrices } from '../models/prices.ts'
import { type ScriptedServer, startScripted } from '../models/providers/scripted.test-kit.ts'
import { resolvePreset } from './presets.ts'
import { SessionStates } from './session.ts'
import { runTurn, type TurnPart } from './turn.ts'

let server: ScriptedServer
beforeAll(async () => {
  server = await startScripted()
})
afterAll(() => server.close())
afterEach(() => {
  server.requests.length = 0
})

const slot = (model: string) => ({ provider: 'local', model })

async function run(
  states: SessionStates,
  messages: readonly { role: string; content?: unknown }[],
  more: object = {},
) {
  const providers = openProviders({
    providers: { local: { kind: 'openai', base_url: `${server.url}/v1`, timeout: null, retries: 0 } },
    env: {},
  })
  const preset = moaPreset.parse({
    reference_models: [slot('a'), slot('b')],
    aggregator: slot('act'),
    ...more,
  })
  const resolved = resolvePreset({ p: preset }, 'p')
  if (!resolved.ok) throw new Error(resolved.message)
  const parts: TurnPart[] = []
  for await (const part of runTurn({
    caller: { providers, prices: createPrices() },
    resolved: resolved.value,
    state: states.of('s', 'p'),
    ask: { messages, rest: {}, stream: true },
    signal: new AbortController().signal,
    privacy: '',
  }))
    parts.push(part)
  return parts
}

describe('a turn', () => {
  it('asks the references once for twenty calls of the acting model, whose prefix stays the same', async () => {
    server.script('a', { text: 'look first' })
    server.script('b', { text: 'then write' })
    server.script('act', { text: 'done' })
    const states = new SessionStates()
    const messages: Record<string, unknown>[] = [
      { role: 'system', content: 'be good' },
      { role: 'user', content: 'fix it' },
    ]
    for (let n = 0; n < 20; n += 1) {
      const parts = await run(states, messages as never)
      expect(parts.at(-1)).toMatchObject({
        type: 'end',
        call: { iteration: n + 1, fanOut: n === 0 ? 'miss' : 'hit' },
      })
      messages.push(
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: `c${n}`, type: 'function', function: { name: 'run', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: `c${n}`, content: `result ${n}` },
      )
    }
    const of = (model: string) => server.requests.filter(({ body }) => body.model === model)
    expect([of('a').length, of('b').length, of('act').length]).toEqual([1, 1, 20])
    const sent = of('act').map(({ body }) => JSON.stringify(body.messages.slice(0, -1)).slice(0, -1))
    for (const [at, text] of sent.entries())
      if (at > 0) expect(text.startsWith(sent[at - 1] ?? '?')).toBe(true)
    expect(of('act')[5]?.body.messages.at(-1)?.content).toContain('look first')
  })

  it('gives the guidance within the message where an endpoint wants turns to alternate, and remembers that', async () => {
    server.script('act', { status: 400 }, { text: 'yes' })
    const states = new SessionStates()
    expect((await run(states, [{ role: 'user', content: 'q' }])).at(-1)).toMatchObject({ type: 'end' })
    await run(states, [{ role: 'user', content: 'another' }])
    const sent = server.requests
      .filter(({ body }) => body.model === 'act')
      .map(({ body }) => body.messages.length)
    expect(sent).toEqual([2, 1, 1])
  })

  it('goes on without a reference that failed, and says which', async () => {
    server.script('a', { status: 500 })
    server.script('b', { text: 'advice' })
    server.script('act', { text: 'ok' })
    const parts = await run(new SessionStates(), [{ role: 'user', content: 'q' }])
    expect(parts.at(-1)).toMatchObject({
      type: 'end',
      call: { advised: [{ error: { class: 'overloaded' } }, { error: null }] },
    })
    const last = server.requests.find(({ body }) => body.model === 'act')?.body.messages.at(-1)?.content
    expect(last).toContain('Not available: local:a')
  })
})

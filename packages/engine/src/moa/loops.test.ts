import type { ChatMessage } from '@panoptes/engine/models'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedServer, startScripted } from '../models/providers/scripted.test-kit.ts'
import { callOf, slot, step, turnsOn, user } from './turn.test-kit.ts'
import type { TurnCall } from './turn.ts'

let server: ScriptedServer
let run: ReturnType<typeof turnsOn>
beforeAll(async () => {
  server = await startScripted()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
  for (const model of ['a', 'b', 'act']) server.script(model, { text: `${model} says so` })
  run = turnsOn(server)
})

const of = (model: string) => server.requests.filter(({ body }) => body.model === model)
const asked = () => ['a', 'b'].map((model) => of(model).length)
const calling = { calls: [{ id: 'c', name: 'run', input: {} }] }
/** Builds a loop after this many steps, with tool results of its own. */
const loop = (question: string, steps: number, name = question): readonly ChatMessage[] => [
  user(question),
  ...Array.from({ length: steps }, (_, n) => {
    const [call, result] = step(n)
    return [call as ChatMessage, { ...(result as ChatMessage), content: `${name} ${n}` }]
  }).flat(),
]

/** Runs several loops of one session, one call of each in turn. */
async function interleaved(
  preset: object,
  questions: readonly string[],
  { steps = 20, stream = true, between = async () => {} } = {},
): Promise<readonly (readonly TurnCall[])[]> {
  const calls: TurnCall[][] = questions.map(() => [])
  for (let n = 0; n < steps; n += 1) {
    for (const [at, question] of questions.entries()) {
      server.script('act', n === steps - 1 ? { text: 'done' } : calling)
      calls[at]?.push(callOf(await run(preset, { messages: loop(question, n), stream })))
    }
    await between()
  }
  return calls
}

describe('interleaved loops of one session', () => {
  it.each([
    [2, true],
    [2, false],
    [3, true],
    [3, false],
  ])('ask the references once each with %i loops, streamed: %s', async (count, stream) => {
    const questions = Array.from({ length: count }, (_, at) => `question ${at}`)
    for (const calls of await interleaved({}, questions, { stream })) {
      expect(calls.map(({ fanOut }) => fanOut)).toEqual(['miss', ...Array(19).fill('hit')])
      expect(calls.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
      expect(new Set(calls.map(({ turnId }) => turnId)).size).toBe(1)
    }
    expect(asked()).toEqual([count, count])
  })

  it('keep their own advice, even when a side question is asked in between', async () => {
    server.script('a', { text: 'for the first' }, { text: 'for the second' }, { text: 'for the title' })
    let sides = 0
    const between = async () => {
      server.script('act', { text: 'a title' })
      const side = [user(`give it a title, ${sides}`)]
      expect(callOf(await run({}, { messages: side })).fanOut).toBe('miss')
      sides += 1
    }
    const [first, second] = await interleaved({}, ['one', 'two'], { between })
    expect(asked()).toEqual([22, 22])
    for (const { acted } of first ?? []) expect(acted?.guidance).toContain('for the first')
    for (const { acted } of second ?? []) expect(acted?.guidance).toContain('for the second')
  })

  it('count their changes separately with every_n', async () => {
    for (const calls of await interleaved({ fanout: 'every_n:5' }, ['one', 'two', 'three']))
      expect(calls.flatMap(({ fanOut }, at) => (fanOut === 'miss' ? [at] : []))).toEqual([0, 5, 10, 15])
  })

  it('keep the advice they use, however often loops of the same question ask', async () => {
    server.script('act', calling)
    const preset = { fanout: 'every_n:100' }
    const call = async (steps: number, name: string) =>
      callOf(await run(preset, { messages: loop('q', steps, name) })).fanOut
    expect(await call(0, 'x')).toBe('miss')
    for (let n = 1; n < 12; n += 1) {
      expect(await call(n, 'x')).toBe('hit')
      // The same question with another preset of the same name, whose references are asked each
      // time.
      expect(callOf(await run({ fanout: 'per_iteration' }, { messages: loop('q', n, 'y') })).fanOut).toBe(
        'miss',
      )
    }
  })

  it('ask for every state of their own, and not for a retry, with per_iteration', async () => {
    const preset = { fanout: 'per_iteration' }
    server.script('act', calling)
    for (let n = 0; n < 5; n += 1) {
      for (const question of ['one', 'two'])
        expect(callOf(await run(preset, { messages: loop(question, n) })).fanOut).toBe('miss')
      for (const question of ['one', 'two'])
        expect(callOf(await run(preset, { messages: loop(question, n) })).fanOut).toBe('hit')
    }
  })

  it('share one turn with one fan-out if they ask the same question at the same time', async () => {
    server.script('act', calling)
    server.script('a', { text: 'slow', delay: 30 })
    const calls: TurnCall[] = []
    for (let n = 0; n < 5; n += 1) {
      const both = ['x', 'y'].map((name) => run({}, { messages: loop('q', n, name) }))
      calls.push(...(await Promise.all(both)).map(callOf))
    }
    expect(asked()).toEqual([1, 1])
    expect(new Set(calls.map(({ turnId }) => turnId)).size).toBe(1)
    expect(calls.map(({ iteration }) => iteration).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, n) => n + 1),
    )
  })
})

describe('fan-out in which every reference failed', () => {
  const dead = { status: 500 }
  const fanOuts = async (count: number, from = 0) => {
    const kinds = []
    for (let n = 0; n < count; n += 1) {
      const messages = loop('q', from + n)
      kinds.push(callOf(await run({}, { messages })).fanOut)
    }
    return kinds
  }

  it('asks again with the next call, and stops asking once a reference answered', async () => {
    server.script('act', calling)
    server.script('a', dead, { text: 'well again' })
    server.script('b', dead)
    expect(await fanOuts(4)).toEqual(['miss', 'miss', 'hit', 'hit'])
    expect(of('act').at(-1)?.text).toContain('well again')
    expect(of('act')[0]?.text).toContain('Not available: local:a, local:b')
  })

  it('pauses after repeated failures and notes it for the acting model', async () => {
    server.script('act', calling)
    server.script('a', dead)
    server.script('b', dead)
    expect(await fanOuts(4)).toEqual(['miss', 'miss', 'hit', 'hit'])
    expect(of('act').at(-1)?.text).toContain('Not available: local:a, local:b')
    expect(asked()).toEqual([2, 2])
    expect(callOf(await run({}, { messages: [user('another question')] })).fanOut).toBe('miss')
  })

  it('is shared by every request that waited for it', async () => {
    server.script('a', { status: 500, delay: 50 })
    server.script('b', dead)
    const both = await Promise.all([run({}), run({})])
    expect(both.map((parts) => callOf(parts).fanOut)).toEqual(['miss', 'hit'])
    expect(asked()).toEqual([1, 1])
  })

  it('does not ask references again that the preset always skips', async () => {
    server.script('act', calling)
    const preset = { reference_models: [{ provider: 'moa', model: 'p' }] }
    expect(callOf(await run(preset)).fanOut).toBe('miss')
    expect(callOf(await run(preset, { messages: loop('q', 1) })).fanOut).toBe('hit')
  })
})

describe('reference that requires alternating turns', () => {
  const refusal = { status: 400, body: JSON.stringify({ error: { message: 'roles must alternate' } }) }
  const roles = () => of('a').map(({ body }) => body.messages.map(({ role }) => role).join(' '))
  const one = { reference_models: [slot('a')] }

  it.each([
    ['two of a person', [user('x'), user('y')], 'system user', 'x\n\ny'],
    [
      'two of the model',
      [user('x'), { role: 'assistant', content: 'm' }, { role: 'assistant', content: 'n' }, user('y')],
      'system user assistant user',
      'y',
    ],
    ['the model first', [{ role: 'assistant', content: 'm' }, user('y')], 'system user assistant user', 'y'],
  ])('is sent %s as alternating turns for the rest of its session', async (_what, messages, shape, last) => {
    server.script('a', refusal, { text: 'yes' })
    const call = callOf(await run(one, { messages }))
    expect(call.advised[0]).toMatchObject({ error: null, reply: { text: 'yes' } })
    expect(roles()[1]).toBe(shape)
    expect(of('a')[1]?.body.messages.at(-1)?.content).toBe(last)
    expect(call.advised[0]?.input).toEqual(of('a')[1]?.body.messages)
    await run(one, { messages: [...messages, user('more')] })
    await run(one, { messages: [...messages, user('more')], session: 'other' })
    expect(roles()).toHaveLength(4)
    expect(roles()[2]).toMatch(/^system(?: user assistant)* user$/)
    expect(roles()[3]).toMatch(/ user user$/)
  })

  it('is not asked again if the turns already alternate, and not remembered if alternating does not help', async () => {
    server.script('a', refusal)
    expect(callOf(await run(one)).advised[0]?.error?.class).toBe('invalid')
    expect(roles()).toEqual(['system user'])
    await run(one, { messages: [user('x'), user('y')] })
    await run(one, { messages: [user('x'), user('z')] })
    expect(roles().slice(1)).toEqual(['system user user', 'system user', 'system user user', 'system user'])
  })
})

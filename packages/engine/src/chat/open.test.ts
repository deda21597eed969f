import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asking,
  type ChatLab,
  chatLab,
  collectEvents,
  saying,
  scriptedRuntime,
  textOf,
  value,
} from './chat.test-kit.ts'
import { recoverRuns } from './run/recover-runs.ts'
import type { RuntimeEvent } from './runtimes/port.ts'

describe('conversation', () => {
  let lab: ChatLab
  beforeAll(async () => {
    lab = await chatLab()
  })
  afterAll(() => lab.end())

  const begin = async (chat: ReturnType<ChatLab['open']>) => value(await chat.create({})).id

  it('streams a run in order: runtime, context and plan, text, one end', async () => {
    const chat = lab.open([scriptedRuntime('jarvis', saying('Hel', 'lo')).adapter])
    const id = await begin(chat)
    const events = await collectEvents(await chat.chat(id, asking('Hi there')))
    expect(events.map(({ event }) => event)).toEqual([
      'metadata',
      'progress',
      'progress',
      'chunk',
      'chunk',
      'done',
    ])
    expect(events.map(({ data }) => data.seq)).toEqual([1, 2, 3, 4, 5, 6])
    const kept = value(await chat.get(id))
    expect(kept).toMatchObject({
      title: 'Hi there',
      runtime: 'jarvis',
      run_id: null,
      agent_state: { active: 'jarvis', runtimes: { jarvis: { rev: 1, said: 2 } } },
      messages: [
        { role: 'user', content: 'Hi there', status: 'complete' },
        { role: 'assistant', content: 'Hello', status: 'complete', runtime: 'jarvis' },
      ],
    })
  })

  it('continues without a reader and sends a returning reader everything after the last seen event', async () => {
    const go = Promise.withResolvers<void>()
    const chat = lab.open([
      scriptedRuntime('jarvis', async function* () {
        yield { type: 'chunk', delta: 'one ' }
        await go.promise
        yield { type: 'chunk', delta: 'two' }
        yield { type: 'end', outcome: 'completed' }
      }).adapter,
    ])
    const id = await begin(chat)
    const streamed = value(await chat.chat(id, asking('?')))
    const left = new AbortController()
    let seen = ''
    for await (const { event, data } of streamed.events(left.signal)) {
      seen = `${data.run_id}:${data.seq}`
      if (event === 'chunk') left.abort()
    }
    expect(await chat.chat(id, asking('again?'))).toMatchObject({ ok: false, code: 'busy' })
    const rest = collectEvents(await chat.stream(id, seen))
    go.resolve()
    expect(textOf(await rest)).toBe('two')
    expect(textOf(await collectEvents(await chat.stream(id, seen)))).toBe('two')
    const whole = await collectEvents(await chat.stream(id))
    expect(textOf(whole)).toBe('one two')
    const place = (seq: number) => `${whole[0]?.data.run_id}:${seq}`
    expect(await collectEvents(await chat.stream(id, place(whole.length)))).toEqual([])
    expect(await collectEvents(await chat.stream(id, place(whole.length + 1)))).toEqual(whole.slice(-1))
  })

  it('streams the answer to a message that is still being stored, not the previous one', async () => {
    const chat = lab.open([scriptedRuntime('jarvis', saying('a')).adapter])
    const id = await begin(chat)
    await collectEvents(await chat.chat(id, asking('one')))
    const second = chat.chat(id, asking('two'))
    const streamed = value(await chat.stream(id))
    expect(streamed.run_id).toBe(value(await second).run_id)
    await collectEvents(await chat.stream(id))
  })

  it.each(['one', 'none'])('is consistent after a run was stopped with %s word streamed', async (said) => {
    const first = scriptedRuntime('hermes', saying('before'))
    let isFirst = true
    const { adapter } = scriptedRuntime(
      'hermes',
      async function* (request, context): AsyncGenerator<RuntimeEvent> {
        if (isFirst) {
          isFirst = false
          yield* first.adapter.run(request, context)
          return
        }
        if (said === 'one') yield { type: 'chunk', delta: 'half' }
        // Simulates a runtime that ignores its abort signal.
        await new Promise(() => {})
      },
    )
    const chat = lab.open([adapter])
    const id = await begin(chat)
    await collectEvents(await chat.chat(id, asking('a')))
    const before = value(await chat.get(id)).agent_state
    const streamed = await chat.chat(id, asking('b'))
    const began = performance.now()
    const [events] = await Promise.all([collectEvents(streamed), chat.cancel(id)])
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'cancelled' } })
    const { messages, agent_state } = value(await chat.get(id))
    expect(agent_state).toEqual(before)
    expect(messages.slice(2)).toMatchObject([
      { role: 'user', content: 'b', status: 'complete' },
      { role: 'assistant', status: 'cancelled' },
    ])
  })

  it('keeps and marks a partial answer before a failure and hands it over with the next message', async () => {
    const failing = scriptedRuntime('hermes', async function* () {
      yield { type: 'chunk', delta: 'It is' }
      yield { type: 'failed', code: 'died', message: 'gone', retryable: true }
    })
    const jarvis = scriptedRuntime('jarvis', saying('fine'))
    const chat = lab.open([jarvis.adapter, failing.adapter])
    const id = await begin(chat)
    await collectEvents(await chat.chat(id, asking('first')))
    const events = await collectEvents(await chat.chat(id, asking('second', { runtime: 'hermes' })))
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'died', stage: 'answer' } })
    expect(failing.asked[0]?.handover.map(({ content }) => content)).toEqual(['first', 'fine'])
    await collectEvents(await chat.chat(id, asking('third', { runtime: 'jarvis' })))
    expect(jarvis.asked[1]?.handover.map(({ content }) => content)).toEqual(['second', 'It is'])
    expect(value(await chat.get(id)).messages[3]).toMatchObject({
      status: 'partial',
      content: 'It is',
      error: { code: 'died' },
    })
  })

  it('waits for the user if a runtime asks, and treats a timeout as no', async () => {
    const chosen: (string | null)[] = []
    const { adapter } = scriptedRuntime('jarvis', async function* (_request, { ask }) {
      chosen.push(await ask({ label: 'Run it?', choices: ['once', 'deny'] }))
      yield { type: 'end', outcome: 'completed' }
    })
    const chat = lab.open([adapter], { approvalSeconds: 0.05 })
    const id = await begin(chat)
    const patient = lab.open([adapter])
    for await (const { event, data } of value(await patient.chat(id, asking('?'))).events(
      new AbortController().signal,
    ))
      if (event === 'progress' && data.kind === 'approval' && data.status === 'started') {
        expect(await patient.answer(id, data.request_id ?? '', 'maybe')).toMatchObject({ code: 'invalid' })
        expect(await patient.answer(id, 'other', 'once')).toMatchObject({ code: 'not_found' })
        value(await patient.answer(id, data.request_id ?? '', 'once'))
      }
    await collectEvents(await chat.chat(id, asking('?')))
    expect(chosen).toEqual(['once', null])
  })

  it('uses the chosen model until another model is chosen or another runtime answers', async () => {
    const jarvis = scriptedRuntime('jarvis', saying('a'))
    const acp = scriptedRuntime('acp:mine', async function* (request, context) {
      yield { type: 'model', model: 'its own' }
      yield* saying('b')(request, context)
    })
    const chat = lab.open([{ ...jarvis.adapter, model: () => 'small' }, acp.adapter])
    const id = await begin(chat)
    const answered = async (more: object) => {
      const events = await collectEvents(await chat.chat(id, asking('?', more)))
      const { model, messages } = value(await chat.get(id))
      return {
        told: events.flatMap(({ event, data }) => (event === 'metadata' ? [data.model] : [])),
        chosen: model,
        stored: messages.at(-1)?.model,
      }
    }
    expect(await answered({})).toEqual({ told: ['small'], chosen: null, stored: 'small' })
    value(await chat.change(id, { model: 'big' }))
    expect(await answered({})).toEqual({ told: ['big'], chosen: 'big', stored: 'big' })
    expect(await answered({ model: 'huge' })).toMatchObject({ chosen: 'huge' })
    expect(await answered({})).toEqual({ told: ['huge'], chosen: 'huge', stored: 'huge' })
    expect(await answered({ runtime: 'acp:mine' })).toEqual({ told: [null], chosen: null, stored: 'its own' })
    expect(await answered({})).toEqual({ told: [null], chosen: null, stored: 'its own' })
    expect(await answered({ runtime: 'jarvis' })).toMatchObject({ told: ['small'], chosen: null })
    expect(jarvis.asked.map(({ model }) => model)).toEqual([null, 'big', 'huge', 'huge', null])
    expect(acp.asked.map(({ model }) => model)).toEqual([null, null])
  })

  it('applies a model chosen before the first answer to the default runtime', async () => {
    const { adapter, asked } = scriptedRuntime('jarvis', saying('a'))
    const other = scriptedRuntime('hermes', saying('b'))
    const chat = lab.open([adapter, other.adapter])
    for (const more of [{}, { runtime: 'hermes' }]) {
      const id = await begin(chat)
      value(await chat.change(id, { model: 'big' }))
      await collectEvents(await chat.chat(id, asking('?', more)))
    }
    expect([...asked, ...other.asked].map(({ model }) => model)).toEqual(['big', null])
  })

  it('forks with the runtime, the chosen model and the messages up to one', async () => {
    const chat = lab.open([scriptedRuntime('jarvis', saying('a')).adapter])
    const id = await begin(chat)
    for (const message of ['one', 'two'])
      await collectEvents(await chat.chat(id, asking(message, { model: 'big' })))
    const at = value(await chat.get(id)).messages[1]?.id ?? ''
    const forked = value(await chat.fork(id, at))
    expect(forked).toMatchObject({ runtime: 'jarvis', model: 'big', messages_count: 2 })
    expect(value(await chat.get(forked.id))).toMatchObject(forked)
  })

  it('stores a repeated fact once', async () => {
    const chat = lab.open([scriptedRuntime('jarvis', saying()).adapter])
    const first = value(await chat.remember('Likes tea'))
    expect(value(await chat.remember('Likes tea'))).toEqual(first)
    expect(value(await chat.facts())).toEqual([first])
    value(await chat.forgetFact(first.id))
    expect(await chat.forgetFact(first.id)).toMatchObject({ code: 'not_found' })
    expect(value(await chat.facts())).toEqual([])
  })

  it('rejects an unknown template before anything is stored', async () => {
    const chat = lab.open([scriptedRuntime('jarvis', saying('fine')).adapter], {
      hasTemplate: async (name) => name === 'tidy',
    })
    const id = await begin(chat)
    expect(await chat.chat(id, asking('?', { template: 'none' }))).toMatchObject({
      code: 'invalid',
      message: 'Unknown template: none.',
    })
    expect(value(await chat.get(id)).messages).toEqual([])
    expect(await chat.chat(id, asking('?', { template: 'tidy' }))).toMatchObject({ ok: true })
  })

  it('stores a limited number of facts', async () => {
    const chat = lab.open([scriptedRuntime('jarvis', saying()).adapter])
    const facts = Array.from({ length: 1_000 }, (_, n) => ({ id: `many-${n}`, ts: n, text: `fact ${n}` }))
    await Promise.all(facts.map((fact) => lab.conversations.remember(fact)))
    expect(await chat.remember('one more')).toMatchObject({ code: 'invalid' })
    await Promise.all(facts.map(({ id }) => lab.conversations.forgetFact(id, '')))
    expect(await chat.remember('one more')).toMatchObject({ ok: true })
  })

  it('ends runs that the last process left behind', async () => {
    const { adapter } = scriptedRuntime('jarvis', async function* () {
      yield { type: 'chunk', delta: 'so far' }
      await new Promise(() => {})
    })
    const chat = lab.open([adapter])
    const id = await begin(chat)
    value(await chat.chat(id, asking('?')))
    expect(value(await recoverRuns(lab.conversations))).toBe(1)
    const [, answer] = value(await chat.get(id)).messages
    expect(answer).toMatchObject({ status: 'failed', error: { code: 'interrupted' } })
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatEvent } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asking,
  type ChatLab,
  chatLab,
  collectEvents,
  type Script,
  saying,
  scriptedRuntime,
  textOf,
  value,
} from '../chat.test-kit.ts'
import { createContextBuilder } from '../context/context-builder.ts'
import { ownClock } from '../cpu-time.test-kit.ts'
import type { RuntimeAdapter, RuntimeEvent } from '../runtimes/port.ts'

const never = () => new Promise<never>(() => {})
const hangs = (): AsyncIterable<RuntimeEvent> => ({ [Symbol.asyncIterator]: () => ({ next: never }) })

describe('run', () => {
  let lab: ChatLab
  beforeAll(async () => {
    lab = await chatLab()
  })
  afterAll(() => lab.end())

  const answersThen = (script: Script): Script => {
    let runs = 0
    return (request, context) => {
      runs += 1
      return runs % 2 === 1 ? saying('fine')(request, context) : script(request, context)
    }
  }
  const hanging = createContextBuilder({
    sources: [],
    skills: never,
    plan: never,
    planMs: 60_000,
    template: never,
  })

  const stages: Readonly<
    Record<string, { readonly script: Script; readonly until: (event: ChatEvent) => boolean }>
  > = {
    'its context is built': { script: saying('fine'), until: ({ event }) => event === 'metadata' },
    'it is asked': {
      script: () => hangs(),
      until: ({ event, data }) => event === 'progress' && data.kind === 'plan',
    },
    'it thinks': {
      script: async function* () {
        yield { type: 'progress', node_id: 'r', kind: 'reasoning', status: 'running', label: 'Thinking' }
        await never()
      },
      until: ({ event, data }) => event === 'progress' && data.kind === 'reasoning',
    },
    'it answers': {
      script: async function* () {
        yield { type: 'chunk', delta: 'half' }
        await never()
      },
      until: ({ event }) => event === 'chunk',
    },
    'it answers without an end': {
      script: async function* () {
        for (;;) {
          yield { type: 'chunk', delta: 'on and ' }
          await sleep(1)
        }
      },
      until: ({ event, data }) => event === 'chunk' && data.index > 3,
    },
    'it waits for a person': {
      script: async function* (_request, { ask }) {
        await ask({ label: 'May I?', choices: ['once', 'deny'] })
        yield* hangs()
      },
      until: ({ event, data }) => event === 'progress' && data.kind === 'approval',
    },
    'it will not be ended': {
      script: () => ({
        [Symbol.asyncIterator]: () => {
          let told = 0
          return {
            next: async (): Promise<IteratorResult<RuntimeEvent>> => {
              told += 1
              return told === 1 ? { done: false, value: { type: 'chunk', delta: 'x' } } : never()
            },
            return: never,
          }
        },
      }),
      until: ({ event }) => event === 'chunk',
    },
    'it breaks when it is stopped': {
      script: async function* (_request, { signal }) {
        yield { type: 'chunk', delta: 'x' }
        await new Promise((_done, failed) => {
          signal.addEventListener('abort', () => failed(new Error('aborted')))
        })
      },
      until: ({ event }) => event === 'chunk',
    },
  }

  it.each(Object.keys(stages))(
    'stops within 200 ms of CPU time while %s, leaves nothing behind, and the next run works',
    async (stage) => {
      const { script, until } = stages[stage] ?? (stages['it answers'] as never)
      const { adapter } = scriptedRuntime('hermes', answersThen(script))
      const chat = lab.open([adapter])
      const { id } = value(await chat.create({}))
      await collectEvents(await chat.chat(id, asking('first')))
      const before = value(await chat.get(id))
      const stopped = stage === 'its context is built' ? lab.open([adapter], { build: hanging }) : chat
      const events: ChatEvent[] = []
      using clock = ownClock()
      let took = 0
      let cancelling: Promise<unknown> | undefined
      for await (const event of value(await stopped.chat(id, asking('second'))).events(
        new AbortController().signal,
      )) {
        events.push(event)
        if (cancelling !== undefined || !until(event)) continue
        const began = clock.ms()
        cancelling = stopped.cancel(id).then((done) => {
          value(done)
          took = clock.ms() - began
        })
      }
      await cancelling
      expect(took).toBeLessThan(200)
      expect(events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'cancelled' } })
      expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, at) => at + 1))
      const after = value(await chat.get(id))
      expect(after).toMatchObject({ run_id: null, agent_state: before.agent_state })
      expect(after.messages.slice(0, 2)).toEqual(before.messages)
      expect(after.messages.slice(2)).toMatchObject([
        { role: 'user', content: 'second', status: 'complete' },
        { role: 'assistant', content: textOf(events), status: 'cancelled' },
      ])
      const next = await collectEvents(await chat.chat(id, asking('third')))
      expect(textOf(next)).toBe('fine')
      expect(value(await chat.get(id)).agent_state.runtimes.hermes).toMatchObject({ rev: 2 })
    },
  )

  const breaking: Readonly<Record<string, Script>> = {
    'says that it failed': async function* () {
      yield { type: 'chunk', delta: 'half' }
      yield { type: 'failed', code: 'rate_limited', message: 'too many', retryable: true }
    },
    'breaks off': async function* () {
      yield { type: 'chunk', delta: 'half' }
    },
    throws: async function* () {
      yield { type: 'chunk', delta: 'half' }
      throw new Error('broken')
    },
  }

  it.each(Object.keys(breaking))(
    'keeps the question and the partial answer if the runtime %s, and can continue',
    async (how) => {
      const { adapter, asked } = scriptedRuntime('hermes', answersThen(breaking[how] ?? saying()))
      const chat = lab.open([adapter])
      const { id } = value(await chat.create({}))
      await collectEvents(await chat.chat(id, asking('first')))
      const before = value(await chat.get(id)).agent_state
      const events = await collectEvents(await chat.chat(id, asking('second')))
      expect(events.at(-1)?.event).toBe('error')
      expect(events.filter(({ event }) => event === 'error' || event === 'done')).toHaveLength(1)
      const after = value(await chat.get(id))
      expect(after.agent_state).toEqual(before)
      expect(after.messages.slice(2)).toMatchObject([
        { content: 'second', status: 'complete' },
        { content: 'half', status: 'partial', error: {} },
      ])
      expect(events.at(-1)).toMatchObject({ data: { partial_message_id: after.messages[3]?.id } })
      await collectEvents(await chat.chat(id, asking('third')))
      expect(asked[2]?.continuity).toMatchObject({ rev: 1 })
      expect(asked[2]?.handover.map(({ content }) => content)).toEqual(['second', 'half'])
      expect(value(await chat.get(id)).messages.at(-1)).toMatchObject({ content: 'fine', status: 'complete' })
    },
  )

  it('fails without an answer if the runtime throws before its first word', async () => {
    const { adapter } = scriptedRuntime('jarvis', () => {
      throw new Error('not at all')
    })
    const chat = lab.open([adapter])
    const { id } = value(await chat.create({}))
    const events = await collectEvents(await chat.chat(id, asking('?')))
    expect(events.at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'internal', message: 'not at all', stage: 'dispatch' },
    })
    expect(value(await chat.get(id)).messages[1]).toMatchObject({ content: '', status: 'failed' })
  })

  it('hands each runtime what it has not seen yet, and never the state of another runtime', async () => {
    const runtimes = (['jarvis', 'hermes', 'acp:claude'] as const).map((name) =>
      scriptedRuntime(name, saying(`by ${name}`)),
    )
    const [jarvis, hermes, claude] = runtimes
    const chat = lab.open(runtimes.map(({ adapter }) => adapter))
    const { id } = value(await chat.create({}))
    const ask = async (runtime: string, message: string) =>
      collectEvents(await chat.chat(id, asking(message, { runtime })))
    await ask('jarvis', 'one')
    await ask('hermes', 'two')
    await ask('acp:claude', 'three')
    await ask('hermes', 'four')
    await ask('jarvis', 'five')
    const handed = (runtime: typeof jarvis) =>
      runtime?.asked.map(({ handover }) => handover.map(({ content }) => content))
    expect(handed(jarvis)).toEqual([[], ['two', 'by hermes', 'three', 'by acp:claude', 'four', 'by hermes']])
    expect(handed(hermes)).toEqual([
      ['one', 'by jarvis'],
      ['three', 'by acp:claude'],
    ])
    expect(handed(claude)).toEqual([['one', 'by jarvis', 'two', 'by hermes']])
    expect(hermes?.asked.map(({ continuity }) => continuity?.rev ?? null)).toEqual([null, 1])
    expect(value(await chat.get(id)).agent_state.runtimes).toMatchObject({
      jarvis: { rev: 2 },
      hermes: { rev: 2 },
      'acp:claude': { rev: 1 },
    })
  })

  it('restarts a runtime that has seen what an edited message replaced', async () => {
    const hermes = scriptedRuntime('hermes', saying('by hermes'))
    const jarvis = scriptedRuntime('jarvis', saying('by jarvis'))
    const chat = lab.open([hermes.adapter, jarvis.adapter])
    const { id } = value(await chat.create({}))
    await collectEvents(await chat.chat(id, asking('one', { runtime: 'jarvis' })))
    await collectEvents(await chat.chat(id, asking('two', { runtime: 'hermes' })))
    const replaces = value(await chat.get(id)).messages[2]?.id ?? ''
    await collectEvents(await chat.chat(id, asking('other', { runtime: 'hermes', replaces })))
    expect(hermes.asked[1]?.continuity).toBeNull()
    expect(hermes.asked[1]?.history.map(({ content }) => content)).toEqual(['one', 'by jarvis'])
    expect(value(await chat.get(id)).messages.map(({ content }) => content)).toEqual([
      'one',
      'by jarvis',
      'other',
      'by hermes',
    ])
    expect(value(await chat.get(id)).agent_state.runtimes).toMatchObject({
      jarvis: { rev: 1 },
      hermes: { rev: 1 },
    })
  })

  it('keeps the files of an edited message unless it brings its own or removes them', async () => {
    const { adapter, asked } = scriptedRuntime('jarvis', saying('read'))
    const chat = lab.open([adapter])
    const { id } = value(await chat.create({}))
    const file = (name: string) => ({ name, media_type: 'text/plain', text: `in ${name}` })
    const edit = async (more: object) => {
      const replaces = value(await chat.get(id)).messages[0]?.id
      await collectEvents(await chat.chat(id, asking('again', { replaces, ...more })))
      return value(await chat.get(id)).messages[0]?.files.map(({ name }) => name)
    }
    await collectEvents(await chat.chat(id, asking('first', { files: [file('a.md')] })))
    expect(await edit({})).toEqual(['a.md'])
    expect(await edit({ files: [file('b.md')] })).toEqual(['b.md'])
    expect(await edit({ files: [] })).toEqual([])
    expect(await edit({})).toEqual([])
    expect(asked.map(({ files }) => files.map(({ text }) => text))).toEqual([
      ['in a.md'],
      ['in a.md'],
      ['in b.md'],
      [],
      [],
    ])
  })

  it('merges the chunks of a very long answer without losing any', async () => {
    const words = Array.from({ length: 60_000 }, (_, n) => `${n} `)
    const { adapter } = scriptedRuntime('jarvis', saying(...words))
    const chat = lab.open([adapter])
    const { id } = value(await chat.create({}))
    const events = await collectEvents(await chat.chat(id, asking('count')))
    expect(textOf(events)).toBe(words.join(''))
    expect(events.length).toBeLessThan(22_000)
    const chunks = events.flatMap(({ event, data }) => (event === 'chunk' ? [data.index] : []))
    expect(chunks).toEqual(chunks.map((_, at) => at))
    expect(value(await chat.get(id)).messages[1]?.content).toBe(words.join(''))
    expect(textOf(await collectEvents(await chat.stream(id)))).toBe(words.join(''))
  })

  it('can be stopped while it begins, and none begins once the chat is closed', async () => {
    const { adapter } = scriptedRuntime('jarvis', () => hangs())
    const chat = lab.open([adapter])
    const { id } = value(await chat.create({}))
    const begun = chat.chat(id, asking('?'))
    value(await chat.cancel(id))
    expect((await collectEvents(await begun)).at(-1)).toMatchObject({ data: { outcome: 'cancelled' } })
    const another = chat.chat(id, asking('??'))
    await chat.close()
    expect((await collectEvents(await another)).at(-1)).toMatchObject({ data: { outcome: 'cancelled' } })
    expect(await chat.chat(id, asking('???'))).toMatchObject({ code: 'closed' })
  })

  it('uses the first runtime that is ready if none is named', async () => {
    const away = scriptedRuntime('hermes', saying('no')).adapter
    const adapters: readonly RuntimeAdapter[] = [
      { ...away, health: () => Promise.reject(new Error('broken')) },
      scriptedRuntime('jarvis', saying('yes')).adapter,
    ]
    const chat = lab.open(adapters, { defaultRuntime: null })
    const { id } = value(await chat.create({}))
    expect(textOf(await collectEvents(await chat.chat(id, asking('?'))))).toBe('yes')
    expect(await chat.runtimes()).toMatchObject([
      { id: 'hermes', state: 'unreachable', detail: 'broken' },
      { id: 'jarvis', state: 'ready' },
    ])
    expect(await chat.chat(id, asking('?', { runtime: 'acp:none' }))).toMatchObject({ code: 'invalid' })
  })

  it('stores the context it gives to the runtime', async () => {
    const chat = lab.open([scriptedRuntime('jarvis', saying('yes')).adapter], {
      build: createContextBuilder({
        sources: [],
        skills: async () => ({ skills: [], left_out: 0, status: 'absent' }),
        plan: async () => ({ decision: 'sequential', worthiness: 1, reasons: [], nodes: [], edges: [] }),
        template: async () => success({ items: ['Begin so.'] }),
      }),
    })
    const { id } = value(await chat.create({}))
    const files = [{ name: 'a.md', media_type: 'text/plain', text: 'words' }]
    await collectEvents(await chat.chat(id, asking('?', { template: 'tidy', files })))
    const [user] = value(await chat.get(id)).messages
    const sent = value(await chat.context(id, user?.id ?? ''))
    expect(sent.sections.find(({ key }) => key === 'template')?.text).toContain('Begin so.')
    expect(sent.sections.find(({ key }) => key === 'files')?.text).toContain('words')
    expect(user?.files).toEqual([{ name: 'a.md', media_type: 'text/plain', bytes: 5 }])
  })
})

import type { NewEvent } from '@panoptes/schema'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Story, tellStory } from '../store/projections/agents/agents.test-kit.ts'
import {
  asking,
  type ChatLab,
  chatLab,
  collectEvents,
  type Script,
  saying,
  scriptedRuntime,
  value,
} from './chat.test-kit.ts'
import { createChatReporter, createPastRunReporter } from './live-reporter.ts'
import { recoverRuns } from './run/recover-runs.ts'
import type { RuntimeProgress } from './runtimes/port.ts'

const never = () => new Promise<never>(() => {})
const progress = (
  node_id: string,
  kind: RuntimeProgress['kind'],
  status: RuntimeProgress['status'],
  more: Partial<RuntimeProgress> = {},
) => ({ type: 'progress', node_id, kind, status, label: node_id, ...more }) as const

describe('Live view of a chat run', () => {
  let lab: ChatLab
  let story: Story
  let keys: Map<string, NewEvent>
  beforeAll(async () => {
    lab = await chatLab()
  })
  afterAll(() => lab.end())
  beforeEach(() => {
    story = tellStory()
    keys = new Map()
  })
  afterEach(() =>
    expect(new Set([...keys.values()].map(({ source }) => source))).toEqual(new Set(['panoptes'])),
  )

  const live = {
    host: 'here',
    append: (events: readonly NewEvent[]) => {
      for (const event of events) {
        if (!keys.has(event.key)) story.tell(event.event, event)
        keys.set(event.key, event)
      }
    },
  }
  const open = (script: Script, id: 'jarvis' | 'hermes' = 'jarvis') =>
    lab.open([scriptedRuntime(id, script).adapter], { onRun: createChatReporter(live) })
  const asked = async (script: Script) => {
    const chat = open(script)
    const { id } = value(await chat.create({}))
    return { chat, id, events: await collectEvents(await chat.chat(id, asking('What is left?'))) }
  }
  const states = () =>
    Object.fromEntries(
      Object.entries(story.states()).map(([id, state]) => [id.replace(/-[0-9a-f]{8}$/, ''), state]),
    )
  const sub = (id: string) => story.agent(Object.keys(story.states()).find((one) => one.startsWith(id)) ?? '')

  it('shows an agent that works, finishes, and works again with the next message', async () => {
    const go = Promise.withResolvers<void>()
    let isFirst = true
    const { chat, id } = await asked(async function* (request, context) {
      if (!isFirst) await go.promise
      isFirst = false
      yield* saying('all')(request, context)
    })
    expect(story.agent('main')).toMatchObject({
      state: 'done',
      source: 'panoptes',
      session_id: id,
      subagent_type: 'jarvis',
      prompt_preview: 'What is left?',
    })
    const next = chat.chat(id, asking('And now?'))
    await expect.poll(() => states()).toEqual({ main: 'working' })
    go.resolve()
    await collectEvents(await next)
    expect(states()).toEqual({ main: 'done' })
    expect(story.agent('main')?.prompt_preview).toBe('And now?')
  })

  it('shows agents for plan branches and references, each with its own tools', async () => {
    const seen: object[] = []
    const { events } = await asked(async function* () {
      yield progress('agent:a', 'subagent', 'started', { label: 'First branch', detail: { model: 'small' } })
      yield progress('inner', 'step', 'started', { parent_id: 'agent:a' })
      yield progress('t1', 'tool', 'started', {
        parent_id: 'inner',
        label: 'Read a file',
        detail: { name: 'read' },
      })
      yield progress('t2', 'tool', 'started', { label: 'list' })
      await expect.poll(() => sub('agent:a')?.doing).toMatchObject({ tool: 'read' })
      seen.push({ a: sub('agent:a'), main: story.agent('main') })
      yield progress('t1', 'tool', 'completed', {
        parent_id: 'inner',
        elapsed_ms: 12.4,
        detail: { name: 'read' },
      })
      yield progress('t2', 'tool', 'failed')
      yield progress('t3', 'tool', 'skipped', { label: 'write', elapsed_ms: 7 })
      yield progress('agent:a', 'subagent', 'completed', { elapsed_ms: 20 })
      yield progress('agent:b', 'subagent', 'failed', { label: 'Second branch' })
      yield { type: 'end', outcome: 'completed' }
    })
    expect(events.at(-1)?.event).toBe('done')
    expect(seen).toMatchObject([
      {
        a: { parent_id: 'main', subagent_type: 'First branch', model: 'small', state: 'working' },
        main: { doing: { tool: 'list' } },
      },
    ])
    expect(states()).toEqual({ main: 'done', 'agent:a': 'done', 'agent:b': 'failed' })
    const done = [...keys.values()].filter(({ event }) => event === 'tool_done')
    expect(done).toMatchObject([
      { tool: 'read', ok: true, duration_ms: 12 },
      { tool: 'list', ok: false },
      { tool: 'write' },
    ])
    expect(done[2]).not.toHaveProperty('ok')
    expect(done[2]).not.toHaveProperty('duration_ms')
  })

  it('fails with the run and ends every agent that was still working', async () => {
    await asked(async function* () {
      yield progress('agent:a', 'subagent', 'started')
      yield progress('t1', 'tool', 'started')
      yield { type: 'failed', code: 'died', message: 'gone', retryable: true }
    })
    expect(states()).toEqual({ main: 'failed', 'agent:a': 'done' })
    expect(story.agent('main')?.doing ?? null).toBeNull()
  })

  it('is done, not failed, if the user stopped the run', async () => {
    const chat = open(async function* () {
      yield progress('agent:a', 'subagent', 'started')
      await never()
    })
    const { id } = value(await chat.create({}))
    value(await chat.chat(id, asking('?')))
    await expect.poll(() => states()).toEqual({ main: 'working', 'agent:a': 'working' })
    value(await chat.cancel(id))
    await expect.poll(() => states()).toEqual({ main: 'done', 'agent:a': 'done' })
    expect([story.agent('main')?.outcome, sub('agent:a')?.outcome]).toEqual(['stopped', 'stopped'])
  })

  it.each([
    ['cancelled', 'stopped'],
    ['timed_out', 'stopped'],
    ['died', 'lost'],
  ])("ends the agent's own session when the run is %s: %s", async (how, outcome) => {
    const chat = open(async function* () {
      const data = { source: 'claude-code', session_id: 'own' }
      yield { type: 'attachment', attachment: { kind: 'session', title: 'Session', data } }
      yield progress('t1', 'tool', 'started')
      if (how === 'cancelled') await never()
      yield { type: 'failed', code: how as 'died', message: 'gone', retryable: true }
    })
    const { id } = value(await chat.create({}))
    value(await chat.chat(id, asking('?')))
    if (how === 'cancelled') {
      await expect.poll(() => story.agent('main')?.tool_counts).toMatchObject({ t1: 1 })
      value(await chat.cancel(id))
    }
    const own = () => [...keys.values()].filter(({ session_id }) => session_id === 'own')
    await expect.poll(own).toMatchObject([
      { event: 'agent_done', source: 'claude-code', id: 'main', outcome },
      { event: 'session_end', source: 'claude-code' },
    ])
    for (const { key } of own()) keys.delete(key)
  })

  it.each(['once', 'deny'])(
    'waits while the user is asked and continues after the answer %s',
    async (choice) => {
      const go = Promise.withResolvers<void>()
      const chat = open(async function* (_request, { ask }) {
        yield progress('t1', 'tool', 'started', { label: 'shell' })
        await ask({ label: 'Run ls?', choices: ['once', 'deny'], parent_id: 't1' })
        await go.promise
        yield progress('t1', 'tool', choice === 'once' ? 'completed' : 'failed', { label: 'shell' })
        yield { type: 'end', outcome: 'completed' }
      })
      const { id } = value(await chat.create({}))
      for await (const { event, data } of value(await chat.chat(id, asking('?'))).events(
        new AbortController().signal,
      )) {
        if (event !== 'progress' || data.kind !== 'approval') continue
        if (data.status === 'started') {
          await expect
            .poll(() => story.agent('main'))
            .toMatchObject({ state: 'waiting', wait_reason: 'Run ls?' })
          value(await chat.answer(id, data.request_id ?? '', choice))
        } else {
          await expect.poll(() => states()).toEqual({ main: 'working' })
          go.resolve()
        }
      }
      await expect.poll(() => states()).toEqual({ main: 'done' })
    },
  )

  it('stops waiting if nobody answered in time', async () => {
    const chat = lab.open(
      [
        scriptedRuntime('jarvis', async function* (_request, { ask }) {
          await ask({ label: 'Run it?', choices: ['once', 'deny'] })
          yield progress('after', 'step', 'started')
          await never()
        }).adapter,
      ],
      { onRun: createChatReporter(live), approvalSeconds: 0.05 },
    )
    const { id } = value(await chat.create({}))
    value(await chat.chat(id, asking('?')))
    await expect.poll(() => [...keys.values()].some(({ event }) => event === 'agent_wait')).toBe(true)
    await expect.poll(() => states()).toEqual({ main: 'working' })
    value(await chat.cancel(id))
  })

  it('reports the usage of our own runtime and leaves that of others to their recordings', async () => {
    const usage = { input: 10, output: 5 }
    const spending: Script = async function* () {
      yield { type: 'end', outcome: 'completed', usage, cost_micro_usd: 1_500 }
    }
    await asked(spending)
    expect([...keys.values()].filter(({ event }) => event === 'usage')).toMatchObject([
      { agent_id: 'main', ...usage, cost_usd: 0.0015, cost_status: 'estimated' },
    ])
    const chat = open(spending, 'hermes')
    const { id } = value(await chat.create({}))
    await collectEvents(await chat.chat(id, asking('?')))
    expect([...keys.values()].filter(({ event }) => event === 'usage')).toHaveLength(1)
  })

  it('reports the usage of a failed or stopped run too', async () => {
    const usage = { input: 10, output: 5 }
    await asked(async function* () {
      yield { type: 'failed', code: 'died', message: 'gone', retryable: true, usage }
    })
    const begun = Promise.withResolvers<void>()
    const chat = open(async function* (_request, { signal }) {
      begun.resolve()
      await new Promise<void>((stop) => signal.addEventListener('abort', () => stop(), { once: true }))
      yield { type: 'end', outcome: 'cancelled', usage: { input: 3 }, cost_micro_usd: 20 }
    })
    const { id } = value(await chat.create({}))
    value(await chat.chat(id, asking('?')))
    await begun.promise
    value(await chat.cancel(id))
    await expect
      .poll(() => [...keys.values()].filter(({ event }) => event === 'usage'))
      .toMatchObject([
        { ...usage, cost_status: 'unknown' },
        { input: 3, cost_usd: 0.000_02 },
      ])
  })

  it('reports the usage of runtimes that are recorded nowhere else', async () => {
    const script: Script = async function* () {
      yield { type: 'model', model: 'theirs' }
      yield { type: 'end', outcome: 'completed', usage: { input: 7 } }
    }
    const adapters = ['acp:far', 'acp:near'].map((id) => scriptedRuntime(id, script).adapter)
    const isCountedHere = (id: string) => id === 'acp:far'
    const chat = lab.open(adapters, { onRun: createChatReporter(live), isCountedHere })
    const { id } = value(await chat.create({}))
    for (const runtime of ['acp:far', 'acp:near'])
      await collectEvents(await chat.chat(id, asking('?', { runtime })))
    expect([...keys.values()].filter(({ event }) => event === 'usage')).toMatchObject([
      { agent_id: 'main', model: 'theirs', input: 7, cost_status: 'unknown' },
    ])
    expect(value(await chat.get(id)).messages.map((one) => one.is_counted_here ?? false)).toEqual([
      false,
      true,
      false,
      false,
    ])
  })

  it('has one agent per runtime with its own name and model; the first to answer is the main one', async () => {
    const withSub = (model: string): Script =>
      async function* () {
        yield { type: 'model', model }
        yield progress('agent:a', 'subagent', 'started', { label: `of ${model}` })
        yield progress('t1', 'tool', 'completed', { label: 'list' })
        yield { type: 'end', outcome: 'completed' }
      }
    const jarvis = { ...scriptedRuntime('jarvis', saying('a')).adapter, model: () => 'small' }
    const others = ['hermes', 'acp:mine'].map((id) => scriptedRuntime(id, withSub(`m-${id}`)).adapter)
    const chat = lab.open([jarvis, ...others], { onRun: createChatReporter(live) })
    const { id } = value(await chat.create({}))
    for (const runtime of ['jarvis', 'hermes', 'acp:mine', 'jarvis', 'hermes'])
      await collectEvents(await chat.chat(id, asking(`to ${runtime}`, { runtime })))
    const shown = (agent: string) => {
      const { subagent_type, model, parent_id, state, session_id, prompt_preview } = story.agent(agent) ?? {}
      return { subagent_type, model, parent_id, state, session_id, prompt_preview }
    }
    const common = { state: 'done', session_id: id }
    const main = { ...common, subagent_type: 'jarvis', model: 'small', prompt_preview: 'to jarvis' }
    expect(shown('main')).toMatchObject(main)
    for (const runtime of ['hermes', 'acp:mine'])
      expect(shown(runtime)).toEqual({
        ...common,
        subagent_type: runtime,
        model: `m-${runtime}`,
        parent_id: 'main',
        prompt_preview: `to ${runtime}`,
      })
    const subs = Object.keys(story.states()).filter((each) => each.startsWith('agent:a'))
    expect(subs.map((each) => story.agent(each)?.parent_id).sort()).toEqual(['acp:mine', 'hermes', 'hermes'])
    const tools = [...keys.values()].filter(({ event }) => event === 'tool_use')
    expect(tools.map(({ agent_id }) => agent_id)).toEqual(['hermes', 'acp:mine', 'hermes'])
  })

  it('contains no secrets of a message', async () => {
    const chat = open(saying('yes'))
    const { id } = value(await chat.create({}))
    await collectEvents(
      await chat.chat(id, asking('my key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789')),
    )
    expect(
      JSON.stringify(keys.get([...keys.keys()].find((key) => key.endsWith(':prompt')) ?? '')),
    ).not.toContain('abcdefghijkl')
  })

  it('ends runs that the last process left behind, once', async () => {
    const chat = open(async function* () {
      yield progress('agent:a', 'subagent', 'started')
      yield { type: 'chunk', delta: 'so far' }
      await never()
    })
    const { id } = value(await chat.create({}))
    value(await chat.chat(id, asking('?')))
    await expect.poll(() => states()).toEqual({ main: 'working', 'agent:a': 'working' })
    await expect.poll(async () => value(await chat.get(id)).messages[1]?.content).toBe('so far')
    const spawned = [...keys.keys()].filter((key) => key.includes('spawn')).length
    expect(
      value(
        await recoverRuns(lab.conversations, {
          only: (one) => one === id,
          onEnded: createPastRunReporter(live),
        }),
      ),
    ).toBe(1)
    expect(states()).toEqual({ main: 'failed', 'agent:a': 'done' })
    expect([...keys.keys()].filter((key) => key.includes('spawn'))).toHaveLength(spawned)
  })
})

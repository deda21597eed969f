import { setTimeout as wait } from 'node:timers/promises'
import { config } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asking, type ChatLab, chatLab, eventsOf, saying, scriptedRuntime, value } from './chat.test-kit.ts'
import { configuredRuntime, foundRuntime } from './usual.ts'

type State = 'ready' | 'unreachable'

/** A runtime that says how it is after a while, and how often it was asked. */
function runtime(id: string, state: State, afterMs = 0) {
  const asked = { count: 0 }
  const adapter = {
    ...scriptedRuntime(id, saying(id)).adapter,
    health: async () => {
      asked.count += 1
      await wait(afterMs)
      return { state, detail: '', models: [], transport: null }
    },
  }
  return { adapter, asked }
}

describe('who answers where nobody is named', () => {
  const chosen = (runtimes: object) => configuredRuntime(config.parse({ runtimes }).runtimes)
  const jarvis = { provider: 'local', model: 'small' }
  const hermes = { command: ['hermes', 'acp'] }
  const acp = { mine: { command: ['mine'] }, other: { command: ['other'] } }

  it('is the default, by its whole name or by that of an agent alone', () => {
    expect(chosen({ default: 'hermes', jarvis })).toBe('hermes')
    expect(chosen({ default: 'acp:mine', jarvis, acp })).toBe('acp:mine')
    expect(chosen({ default: 'mine', jarvis, acp })).toBe('acp:mine')
    expect(config.safeParse({ runtimes: { default: 'no name' } }).success).toBe(false)
  })

  it('is the first that is configured where there is no default', () => {
    expect(chosen({ jarvis, hermes, acp })).toBe('jarvis')
    expect(chosen({ hermes, acp })).toBe('hermes')
    expect(chosen({ acp })).toBe('acp:mine')
    expect(chosen({})).toBeNull()
  })

  it('is the first that is ready of those that are found, without waiting for those that hang, and asked once', async () => {
    let now = 0
    const hanging = runtime('jarvis', 'ready', 60_000)
    const ready = runtime('acp:a', 'ready', 20)
    const found = foundRuntime(
      [hanging.adapter, runtime('hermes', 'unreachable').adapter, ready.adapter],
      () => now,
    )
    expect(await found.get()).toBe('acp:a')
    now = 299_000
    expect(await found.get()).toBe('acp:a')
    expect(ready.asked.count).toBe(1)
    now = 301_000
    expect(await found.get()).toBe('acp:a')
    expect(ready.asked.count).toBe(2)
    expect(found.seen([{ id: 'jarvis', state: 'ready' }])).toBe('jarvis')
    expect(await found.get()).toBe('jarvis')
  })

  it('is an earlier one that is a little later to say so', async () => {
    const found = foundRuntime([runtime('jarvis', 'ready', 50).adapter, runtime('hermes', 'ready').adapter])
    expect(await found.get()).toBe('jarvis')
  })

  it('is nobody where nobody is ready', async () => {
    expect(await foundRuntime([runtime('jarvis', 'unreachable').adapter]).get()).toBeNull()
  })

  describe('in a conversation', () => {
    let lab: ChatLab
    beforeAll(async () => {
      lab = await chatLab()
    })
    afterAll(() => lab.end())
    const answered = async (adapters: Parameters<ChatLab['open']>[0], defaultRuntime: string | null) => {
      const chat = lab.open(adapters, { defaultRuntime })
      const { id } = value(await chat.create({}))
      const [first] = await eventsOf(await chat.chat(id, asking('Hi')))
      const marked = (await chat.runtimes()).filter(({ is_default }) => is_default).map((one) => one.id)
      return [first?.data.runtime, marked]
    }

    it('is never another because the one that is configured is not ready, and nobody is asked how they are', async () => {
      const jarvis = runtime('jarvis', 'unreachable')
      const adapters = [jarvis.adapter, runtime('hermes', 'ready').adapter]
      const chat = lab.open(adapters, { defaultRuntime: 'jarvis' })
      const { id } = value(await chat.create({}))
      const [first] = await eventsOf(await chat.chat(id, asking('Hi')))
      expect([first?.data.runtime, jarvis.asked.count]).toEqual(['jarvis', 0])
    })

    it('is told as the one that answers by itself', async () => {
      const adapters = [runtime('jarvis', 'unreachable').adapter, runtime('hermes', 'ready').adapter]
      expect(await answered(adapters, null)).toEqual(['hermes', ['hermes']])
      expect(await answered(adapters, 'jarvis')).toEqual(['jarvis', ['jarvis']])
    })
  })
})

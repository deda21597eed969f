import { setTimeout as wait } from 'node:timers/promises'
import { config } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asking,
  type ChatLab,
  chatLab,
  collectEvents,
  saying,
  scriptedRuntime,
  value,
} from './chat.test-kit.ts'
import { createRuntimeDetector, getConfiguredRuntime } from './default-runtime.ts'

type State = 'ready' | 'untried' | 'unreachable'

/** A runtime that reports its state after a delay and counts how often it was asked. */
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

describe('default runtime', () => {
  const chosen = (runtimes: object) => getConfiguredRuntime(config.parse({ runtimes }).runtimes)
  const jarvis = { provider: 'local', model: 'small' }
  const hermes = { command: ['hermes', 'acp'] }
  const acp = { mine: { command: ['mine'] }, other: { command: ['other'] } }

  it("is the configured default, by its full name or its agent's name", () => {
    expect(chosen({ default: 'hermes', jarvis })).toBe('hermes')
    expect(chosen({ default: 'acp:mine', jarvis, acp })).toBe('acp:mine')
    expect(chosen({ default: 'mine', jarvis, acp })).toBe('acp:mine')
    expect(config.safeParse({ runtimes: { default: 'no name' } }).success).toBe(false)
  })

  it('is the first configured runtime if there is no default', () => {
    expect(chosen({ jarvis, hermes, acp })).toBe('jarvis')
    expect(chosen({ hermes, acp })).toBe('hermes')
    expect(chosen({ acp })).toBe('acp:mine')
    expect(chosen({})).toBeNull()
  })

  it('is the first detected runtime that is ready, without waiting for hanging ones or asking twice', async () => {
    let now = 0
    const hanging = runtime('jarvis', 'ready', 60_000)
    const ready = runtime('acp:a', 'ready', 20)
    const found = createRuntimeDetector(
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
    expect(found.update([{ id: 'jarvis', state: 'ready' }])).toBe('jarvis')
    expect(await found.get()).toBe('jarvis')
  })

  it('is an earlier runtime that becomes ready a little later', async () => {
    const found = createRuntimeDetector([
      runtime('jarvis', 'ready', 50).adapter,
      runtime('hermes', 'ready').adapter,
    ])
    expect(await found.get()).toBe('jarvis')
  })

  it('is an untested runtime only if none is ready', async () => {
    const [untried, ready] = [runtime('acp:a', 'untried').adapter, runtime('acp:b', 'ready', 20).adapter]
    expect(await createRuntimeDetector([untried, ready]).get()).toBe('acp:b')
    expect(await createRuntimeDetector([untried, runtime('jarvis', 'unreachable').adapter]).get()).toBe(
      'acp:a',
    )
  })

  it('is null if none is ready', async () => {
    expect(await createRuntimeDetector([runtime('jarvis', 'unreachable').adapter]).get()).toBeNull()
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
      const [first] = await collectEvents(await chat.chat(id, asking('Hi')))
      const marked = (await chat.runtimes()).filter(({ is_default }) => is_default).map((one) => one.id)
      return [first?.data.runtime, marked]
    }

    it('never falls back from the configured runtime, and checks no health', async () => {
      const jarvis = runtime('jarvis', 'unreachable')
      const adapters = [jarvis.adapter, runtime('hermes', 'ready').adapter]
      const chat = lab.open(adapters, { defaultRuntime: 'jarvis' })
      const { id } = value(await chat.create({}))
      const [first] = await collectEvents(await chat.chat(id, asking('Hi')))
      expect([first?.data.runtime, jarvis.asked.count]).toEqual(['jarvis', 0])
    })

    it('is named as the one that answers automatically', async () => {
      const adapters = [runtime('jarvis', 'unreachable').adapter, runtime('hermes', 'ready').adapter]
      expect(await answered(adapters, null)).toEqual(['hermes', ['hermes']])
      expect(await answered(adapters, 'jarvis')).toEqual(['jarvis', ['jarvis']])
    })
  })
})

import type { ChatErrorCode, ChatEvent, Conversation, StoredChatMessage } from '@panoptes/schema'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Chat } from '../chat.ts'
import {
  type ConformanceEnvironment,
  chatInput,
  openConformanceEnvironment,
  type ReadRun,
  readAll,
  value,
} from './conformance-environment.ts'
import type { Act, RuntimeKit, ScriptedRuntime } from './conformance-kit.ts'
import type { RuntimeAdapter, RuntimeRequest } from './port.ts'

type MissingCapability = NonNullable<RuntimeKit['lacks']>[number]
type DefineTest = (what: string, test: () => Promise<void>) => void

/** A runtime and a conversation with it, created for each test. */
export interface Scene {
  readonly kit: RuntimeKit
  readonly environment: ConformanceEnvironment
  readonly played: ScriptedRuntime
  readonly chat: Chat
  readonly id: string
  /** Opens the chat again. */
  readonly begin: (...more: Parameters<ConformanceEnvironment['open']>[1][]) => Promise<void>
  readonly ask: (message: string, onEvent?: (event: ChatEvent) => void) => Promise<ReadRun>
  readonly storedConversation: () => Promise<Conversation>
  readonly answer: () => Promise<StoredChatMessage | undefined>
  readonly lacks: (what: MissingCapability) => boolean
  /** Registers a test only for runtimes that have this capability. */
  readonly can: (what: MissingCapability) => DefineTest
  /** Checks that the runtime answers as if nothing had happened. */
  readonly worksAgain: () => Promise<void>
  readonly failsWith: (
    act: Act,
    codes: readonly ChatErrorCode[],
  ) => Promise<{ readonly text: string; readonly last: ChatEvent | undefined }>
}

export function setScene(kit: RuntimeKit): Scene {
  let environment: ConformanceEnvironment
  let played: ScriptedRuntime
  let chat: Chat
  let id: string
  const begin: Scene['begin'] = async (...more) => {
    chat = environment.open([played.adapter, createOtherRuntime()], ...more)
    id = value(await chat.create({})).id
  }
  const ask: Scene['ask'] = async (message, onEvent) => {
    const run = await readAll(value(await chat.chat(id, chatInput(message))), onEvent)
    expect(run.check.problems).toEqual([])
    return run
  }
  const storedConversation = async () => value(await chat.get(id))
  const answer = async () => (await storedConversation()).messages.at(-1)
  const lacks = (what: MissingCapability) => kit.lacks?.includes(what) === true
  beforeAll(async () => {
    environment = await openConformanceEnvironment()
  })
  afterAll(() => environment.close())
  beforeEach(async () => {
    played = await kit.start()
    await begin()
  })
  afterEach(async () => {
    await chat.close()
    await played.close()
  })
  return {
    kit,
    get environment() {
      return environment
    },
    get played() {
      return played
    },
    get chat() {
      return chat
    },
    get id() {
      return id
    },
    begin,
    ask,
    storedConversation,
    answer,
    lacks,
    can: (what) => (lacks(what) ? () => {} : it),
    worksAgain: async () => {
      played.play({ say: 'All is well again.' })
      expect((await ask('And now?')).text).toBe('All is well again.')
      expect(await answer()).toMatchObject({ status: 'complete', content: 'All is well again.' })
    },
    failsWith: async (act, codes) => {
      const before = (await storedConversation()).agent_state.runtimes[played.adapter.id]
      played.play(act)
      const { events, text } = await ask('Will it?')
      const last = events.at(-1)
      expect(last?.event === 'error' && codes.includes(last.data.code) ? codes : last).toEqual(codes)
      const { messages, agent_state } = await storedConversation()
      expect(messages.at(-2)).toMatchObject({ role: 'user', content: 'Will it?', status: 'complete' })
      expect(messages.at(-1)).toMatchObject({ status: text === '' ? 'failed' : 'partial', content: text })
      expect(agent_state.runtimes[played.adapter.id]).toEqual(before)
      await vi.waitFor(() => expect(played.activeAnswers()).toBe(0), 30_000)
      return { text, last }
    },
  }
}

/** Another runtime in the same conversation; it answers with what it was handed. */
const createOtherRuntime = (): RuntimeAdapter => ({
  id: 'acp:other',
  title: 'Other',
  model: () => null,
  health: async () => ({ state: 'ready', detail: '', models: [], transport: null }),
  run: async function* ({ handover }: RuntimeRequest) {
    yield { type: 'chunk', delta: `otter, after: ${handover.map(({ content }) => content).join(' | ')}` }
    yield { type: 'end', outcome: 'completed', continuity: { secret: 'of the other alone' } }
  },
  close: async () => {},
})

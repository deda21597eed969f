import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Conversations, type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { ChatEvent, ChatInput, Result, RuntimeId } from '@panoptes/schema'
import type { Chat, RunStream } from './chat.ts'
import { createContextBuilder } from './context/context-builder.ts'
import { type ChatOptions, openChat } from './open.ts'
import type { RunContext, RuntimeAdapter, RuntimeEvent, RuntimeRequest } from './runtimes/port.ts'

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}

export type Script = (request: RuntimeRequest, context: RunContext) => AsyncIterable<RuntimeEvent>

/** A runtime that follows a script. */
export function scriptedRuntime(id: RuntimeId, script: Script) {
  const asked: RuntimeRequest[] = []
  const adapter: RuntimeAdapter = {
    id,
    title: id,
    model: () => null,
    health: async () => ({ state: 'ready', detail: '', models: [], transport: null }),
    run: (request, context) => {
      asked.push(request)
      return script(request, context)
    },
    close: async () => {},
  }
  return { adapter, asked }
}

/** Streams each word as a chunk of its own. */
export const saying = (...words: readonly string[]): Script =>
  async function* () {
    for (const delta of words) yield { type: 'chunk', delta }
    yield { type: 'end', outcome: 'completed', continuity: { said: words.length } }
  }

/** A context without memory, skills or a plan. */
export const bareContext = createContextBuilder({
  sources: [],
  skills: async () => ({ skills: [], left_out: 0, status: 'absent' }),
  plan: async () => ({ decision: 'sequential', worthiness: 1, reasons: [], nodes: [], edges: [] }),
  template: async () => {
    throw new Error('there is no template')
  },
})

export interface ChatLab {
  readonly folder: string
  readonly store: EventStore
  readonly conversations: Conversations
  readonly open: (adapters: readonly RuntimeAdapter[], more?: Partial<ChatOptions>) => Chat
  readonly end: () => Promise<void>
}

export async function chatLab(): Promise<ChatLab> {
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-chat-'))
  const store = value(await openSqliteStore(join(folder, 'ledger.db')))
  const { conversations } = store
  const opened: Chat[] = []
  return {
    folder,
    store,
    conversations,
    open: (adapters, more) => {
      const chat = openChat({
        conversations,
        adapters,
        defaultRuntime: adapters[0]?.id ?? null,
        build: bareContext,
        folder,
        budgetTokens: 32_000,
        approvalSeconds: 5,
        ...more,
      })
      opened.push(chat)
      return chat
    },
    end: async () => {
      await Promise.all(opened.map((chat) => chat.close()))
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function collectEvents(streamed: Result<RunStream>): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = []
  for await (const event of value(streamed).events(new AbortController().signal)) events.push(event)
  return events
}

export const textOf = (events: readonly ChatEvent[]): string =>
  events.map(({ event, data }) => (event === 'chunk' ? data.delta : '')).join('')

export const asking = (message: string, more: Partial<ChatInput> = {}): ChatInput => ({
  message,
  ...more,
})

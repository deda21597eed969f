import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@panoptes/engine/store'
import { type ChatEvent, type ChatInput, checkStream, type StreamCheck } from '@panoptes/schema'
import type { Chat, RunStream } from '../chat.ts'
import type { BuildContext } from '../context/port.ts'
import { openChat } from '../open.ts'
import type { RuntimeAdapter } from './port.ts'

export interface ConformanceEnvironment {
  readonly open: (
    adapters: readonly RuntimeAdapter[],
    more?: { readonly approvalSeconds?: number; readonly build?: BuildContext },
  ) => Chat
  readonly close: () => Promise<void>
}

/** Opens chats on a real event store of their own. */
export async function openConformanceEnvironment(): Promise<ConformanceEnvironment> {
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-runtime-'))
  const opened = await openSqliteStore(join(folder, 'ledger.db'))
  if (!opened.ok) throw new Error(opened.message)
  const store = opened.value
  return {
    open: (adapters, { approvalSeconds = 30, build = plainContext } = {}) =>
      openChat({
        conversations: store.conversations,
        adapters,
        defaultRuntime: adapters[0]?.id ?? null,
        build,
        folder,
        budgetTokens: 8_000,
        approvalSeconds,
      }),
    close: async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A context without memory or a plan. */
export const plainContext: BuildContext = async ({ conversation, message, template, budgetTokens }) => {
  const skills = { skills: [], left_out: 0, status: 'absent' as const }
  const plan = {
    decision: 'sequential' as const,
    worthiness: 1,
    reasons: [],
    nodes: [{ id: 'all', label: message.slice(0, 50), work: 1 }],
    edges: [],
  }
  return {
    baseline: '',
    preamble: '',
    history: conversation.messages
      .filter(({ content }) => content !== '')
      .map(({ id, role, content, runtime }) => ({
        id,
        role,
        content,
        runtime,
        preamble: conversation.preambles.get(id) ?? null,
      })),
    skills,
    plan,
    sections: [],
    sent: { sections: [], skills, plan, template, budget_tokens: budgetTokens },
    epoch: null,
  }
}

/** A run, read the way a page reads it. */
export interface ReadRun {
  readonly events: readonly ChatEvent[]
  readonly text: string
  readonly check: StreamCheck
}

export const value = <T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string },
): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

export const chatInput = (message: string, more: Partial<ChatInput> = {}): ChatInput => ({
  message,
  files: [],
  ...more,
})

/** Reads a stream to its end and passes each event to the observer. */
export async function readAll(
  { events }: RunStream,
  onEvent: (event: ChatEvent) => void = () => {},
  lastEventId?: string,
): Promise<ReadRun> {
  const all: ChatEvent[] = []
  for await (const event of events(new AbortController().signal)) {
    all.push(event)
    onEvent(event)
  }
  return {
    events: all,
    text: all.map((event) => (event.event === 'chunk' ? event.data.delta : '')).join(''),
    check: checkStream(all.map(formatFrame).join(''), { lastEventId }),
  }
}

/** Formats an event as it is sent over HTTP. */
const formatFrame = ({ event, data }: ChatEvent): string =>
  `id: ${data.run_id}:${data.seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

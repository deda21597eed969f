import type { ConversationHead, SentContext, StoredChatMessage } from '@panoptes/schema'
import type { ChatEpoch, Conversations, RunBeginning } from '../conversations-port.ts'
import { type Bench, value } from './lab.ts'

/** A window that is large enough for everything. */
export const ALL = { chars: 1_000_000 }

export const head = (id: string, more: Partial<ConversationHead> = {}): ConversationHead => ({
  id,
  title: '',
  runtime: null,
  model: null,
  created_at: 1_000,
  updated_at: 1_000,
  messages_count: 0,
  run_id: null,
  forked_from: null,
  ...more,
})

export const message = (id: string, more: Partial<StoredChatMessage> = {}): StoredChatMessage => ({
  id,
  role: 'user',
  content: `words of ${id}`,
  status: 'complete',
  runtime: null,
  model: null,
  attachments: [],
  files: [],
  ts: 2_000,
  ended_at: null,
  run_id: null,
  usage: null,
  cost_micro_usd: null,
  error: null,
  ...more,
})

export const answer = (turn: string, more: Partial<StoredChatMessage> = {}): StoredChatMessage =>
  message(`${turn}-a`, {
    role: 'assistant',
    runtime: 'jarvis',
    run_id: `${turn}-run`,
    status: 'partial',
    content: '',
    ...more,
  })

export const beginning = (
  conversation: string,
  turn: string,
  more: Partial<RunBeginning> = {},
): RunBeginning => ({
  conversation,
  run_id: `${turn}-run`,
  runtime: 'jarvis',
  user: message(`${turn}-u`),
  answer: answer(turn),
  files: [],
  ...more,
})

export const ending = (conversation: string, turn: string, more: Partial<StoredChatMessage> = {}) => ({
  conversation,
  run_id: `${turn}-run`,
  answer: answer(turn, { status: 'complete', content: `answer of ${turn}`, ended_at: 3_000, ...more }),
  events: `{"last":"${turn}"}\n`,
})

/** Adds a question and its answer, with context that was sent before the question. */
export async function exchange(
  conversations: Conversations,
  conversation: string,
  turn: string,
  more: Partial<RunBeginning> = {},
): Promise<void> {
  value(await conversations.begin(beginning(conversation, turn, more)))
  value(await conversations.setSent(`${turn}-u`, { context: CONTEXT, text: `before ${turn}` }))
  value(await conversations.end(ending(conversation, turn)))
}

/** Opens stores with one conversation, `c`, that contains these turns. */
export const opener =
  (bench: Bench) =>
  async (...turns: readonly string[]) => {
    const { store } = await bench.open()
    const { conversations } = store
    value(await conversations.create(head('c')))
    for (const turn of turns) await exchange(conversations, 'c', turn)
    return { conversations, store }
  }

export const CONTEXT: SentContext = {
  sections: [],
  skills: { skills: [], left_out: 0, status: 'absent' },
  plan: { decision: 'sequential', worthiness: 1, reasons: [], nodes: [], edges: [] },
  template: null,
  budget_tokens: 100,
}

export const epoch = (more: Partial<ChatEpoch> = {}): ChatEpoch => ({
  baseline: 'told first',
  sections: [],
  summarised_to: null,
  summary: null,
  ...more,
})

import type {
  ChatEvent,
  ChatEventName,
  Conversation,
  ConversationHead,
  RuntimeHealth,
  StoredChatMessage,
} from '@panoptes/schema'

export const RUN = 'run-1'

/** An event of a run with its `seq`. */
export const event = (name: ChatEventName, seq: number, more: object = {}): ChatEvent =>
  ({
    event: name,
    data: {
      v: 1,
      seq,
      ts: 1_000 + seq,
      conversation_id: 'chat-1',
      run_id: RUN,
      runtime: 'jarvis',
      ...more,
    },
  }) as ChatEvent

export const metadata = (seq = 1, more: object = {}): ChatEvent =>
  event('metadata', seq, {
    message_id: 'a1',
    user_message_id: 'u1',
    model: 'local/small',
    state_revision: 1,
    ...more,
  })
export const chunk = (seq: number, delta: string): ChatEvent => event('chunk', seq, { index: seq, delta })
export const progress = (seq: number, node_id: string, more: object): ChatEvent =>
  event('progress', seq, { node_id, label: node_id, ...more })
export const done = (seq: number, outcome = 'completed'): ChatEvent =>
  event('done', seq, { message_id: 'a1', outcome, duration_ms: 20, attachments: [], state_revision: 2 })
export const failed = (seq: number, code = 'died'): ChatEvent =>
  event('error', seq, { code, message: 'It broke off.', retryable: true, stage: 'answer' })

/** A complete run: text with a tool call and a question in between. */
export const wholeRun = (): readonly ChatEvent[] => [
  metadata(1),
  progress(2, 'context', {
    kind: 'context',
    status: 'completed',
    detail: { sections: [], skills: [], left_out: 0 },
  }),
  chunk(3, 'First '),
  progress(4, 't1', { kind: 'tool', status: 'started', label: 'Read', detail: { input: { path: 'a.ts' } } }),
  progress(5, 'ask', {
    kind: 'approval',
    status: 'started',
    request_id: 'q1',
    choices: ['once', 'deny'],
    detail: { expires_at: 9_000 },
  }),
  progress(6, 'ask', { kind: 'approval', status: 'completed', request_id: 'q1', detail: { choice: 'once' } }),
  progress(7, 't1', {
    kind: 'tool',
    status: 'completed',
    label: 'Read',
    elapsed_ms: 12,
    detail: { output: 'x' },
  }),
  chunk(8, 'second.'),
  done(9),
]

export const message = (
  id: string,
  role: 'user' | 'assistant',
  more: Partial<StoredChatMessage> = {},
): StoredChatMessage => ({
  id,
  role,
  content: id,
  status: 'complete',
  runtime: role === 'user' ? null : 'jarvis',
  model: null,
  attachments: [],
  files: [],
  ts: 1,
  ended_at: role === 'user' ? null : 2,
  run_id: null,
  usage: null,
  cost_micro_usd: null,
  error: null,
  ...more,
})

const head = (id: string, more: Partial<ConversationHead> = {}): ConversationHead => ({
  id,
  title: `About ${id}`,
  runtime: 'jarvis',
  model: null,
  created_at: 1,
  updated_at: 2,
  messages_count: 2,
  run_id: null,
  forked_from: null,
  ...more,
})

/** An empty conversation. */
export const conversation = (id: string, more: Partial<Conversation> = {}): Conversation => ({
  ...head(id, { title: '', runtime: null, messages_count: more.messages?.length ?? 0 }),
  agent_state: { v: 1, active: null, runtimes: {} },
  messages: [],
  ...more,
})

export const runtime = (id: string, more: Partial<RuntimeHealth> = {}): RuntimeHealth => ({
  id,
  title: id === 'jarvis' ? 'Jarvis' : id.replace(/^acp:/, ''),
  state: 'ready',
  detail: '',
  models: [],
  is_default: false,
  transport: null,
  ...more,
})

/** The event as it is sent over the stream. */
export const frameOf = ({ event: name, data }: ChatEvent): string =>
  `id: ${data.run_id}:${data.seq}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

import type {
  Conversation,
  ConversationHead,
  RememberedFact,
  RuntimeHealth,
  SentContext,
} from '@panoptes/schema'
import { deleteAt, getJson, postJson, putJson } from '../../api/request.ts'
import { chatStream } from './chat-stream.ts'

const at = (id: string): string => `/api/conversations/${encodeURIComponent(id)}`

export interface FoundConversation extends ConversationHead {
  readonly found: { readonly message_id: string; readonly snippet: string } | null
}

export interface ConversationsPage {
  readonly total: number
  readonly conversations: readonly FoundConversation[]
}

export interface ConversationEdit {
  readonly title?: string
  readonly runtime?: string
  readonly model?: string | null
  readonly shared?: boolean
}

/** Every request the page makes about conversations. */
export const conversationApi = {
  list: (query: string, signal?: AbortSignal) =>
    getJson<ConversationsPage>(`/api/conversations?${query}`, signal),
  get: (id: string, signal?: AbortSignal) => getJson<Conversation>(at(id), signal),
  create: (runtime?: string) =>
    postJson<ConversationHead>('/api/conversations', runtime === undefined ? {} : { runtime }),
  change: (id: string, change: ConversationEdit) => putJson<ConversationHead>(at(id), change),
  remove: (id: string, leaving = false) => deleteAt(at(id), leaving),
  fork: (id: string, message_id: string) => postJson<ConversationHead>(`${at(id)}/fork`, { message_id }),
  cancel: (id: string) => postJson<unknown>(`${at(id)}/cancel`),
  answer: (id: string, request: string, choice: string) =>
    postJson<unknown>(`${at(id)}/approvals/${encodeURIComponent(request)}`, { choice }),
  exportPath: (id: string, format: 'markdown' | 'json') => `${at(id)}/export?format=${format}`,
  context: (id: string, message: string, signal?: AbortSignal) =>
    getJson<SentContext>(`${at(id)}/messages/${encodeURIComponent(message)}/context`, signal),
  runtimes: (signal?: AbortSignal) =>
    getJson<{ readonly runtimes: readonly RuntimeHealth[] }>('/api/runtimes', signal),
  facts: (signal?: AbortSignal) =>
    getJson<{ readonly facts: readonly RememberedFact[] }>('/api/memory/facts', signal),
  remember: (text: string) => postJson<RememberedFact>('/api/memory/facts', { text }),
  forgetFact: (id: string) => deleteAt(`/api/memory/facts/${encodeURIComponent(id)}`),
  chatStream,
}

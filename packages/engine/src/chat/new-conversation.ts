import { randomUUID } from 'node:crypto'
import type { StoredConversation } from '@panoptes/engine/store'
import type {
  Conversation,
  ConversationHead,
  FileInput,
  RuntimeId,
  StoredChatMessage,
} from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

export const conversationNotFound = (id: string) => failure('not_found', `No conversation ${id}.`)

export const createHead = (
  title: string,
  runtime: RuntimeId | null,
  more: Partial<ConversationHead> = {},
): ConversationHead => {
  const now = Date.now()
  return {
    id: `chat-${randomUUID()}`,
    title,
    runtime,
    model: null,
    created_at: now,
    updated_at: now,
    messages_count: 0,
    run_id: null,
    forked_from: null,
    ...more,
  }
}

export const createMessage = (
  role: 'user' | 'assistant',
  more: Partial<StoredChatMessage>,
): StoredChatMessage => ({
  id: `msg-${randomUUID()}`,
  role,
  content: '',
  status: 'complete',
  runtime: null,
  model: null,
  attachments: [],
  files: [],
  ts: Date.now(),
  ended_at: null,
  run_id: null,
  usage: null,
  cost_micro_usd: null,
  error: null,
  ...more,
})

export const describeFiles = (files: readonly FileInput[]) =>
  files.map(({ name, media_type, text, data }) => ({
    name,
    media_type,
    bytes: text === undefined ? Buffer.byteLength(data ?? '', 'base64') : Buffer.byteLength(text),
  }))

export const toConversation = ({
  epoch: _epoch,
  state_revision: _revision,
  ...conversation
}: StoredConversation): Conversation => ({
  ...conversation,
  messages: [...conversation.messages],
})

import type { Chat } from '@panoptes/engine/chat'
import {
  approvalInput,
  chatInput,
  conversation,
  conversationChange,
  conversationHead,
  conversationsQuery,
  conversationsReply,
  failure,
  forgotReply,
  forkInput,
  newConversationInput,
  runtimesReply,
  sentContext,
} from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { conversationRights, type RightsOf, requireRight } from '../chat/conversation-access.ts'
import { exportConversation, exportQuery } from '../chat/export.ts'
import { answer, chatStream, refusal } from '../chat/responses.ts'
import { toRefusal } from '../problem.ts'
import { idParams, JSON_TYPE, json, type Route, route } from '../route.ts'
import { memoryRoutes } from './memory.ts'

const EVENTS = 'text/event-stream'
/** No more than the budget of all large bodies together. */
const MOST = 32 * 1_048_576

/** Conversations with any runtime. */
export function chatRoutes(context: AppContext): readonly Route[] {
  const { chat } = context.options
  if (chat === undefined) return []
  const rights: RightsOf = ({ caller }) => conversationRights(chat, context, caller)
  return [
    ...conversationRoutes(chat, context, rights),
    ...runRoutes(chat, rights),
    ...memoryRoutes(chat, rights),
  ]
}

const conversationRoutes = (
  chat: Chat,
  { options: { forget }, stream }: AppContext,
  rights: RightsOf,
): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/conversations',
    scope: 'full',
    summary:
      'Conversations, most recently changed first. With `text`, only those that contain it in the title or a message.',
    query: conversationsQuery,
    reply: { type: JSON_TYPE, schema: conversationsReply },
    answer: async ({ query: { before_id: beforeId, ...query }, caller }) => {
      const { visibleTo } = rights({ caller })
      const found = await chat.list({ ...query, beforeId, visibleTo })
      if (!found.ok) return refusal(found)
      const { rows: conversations, ...more } = found.value
      return json({ ...more, conversations })
    },
  }),
  route({
    method: 'POST',
    path: '/api/conversations',
    scope: 'full',
    summary: 'Start a conversation.',
    body: newConversationInput,
    reply: { type: JSON_TYPE, schema: conversationHead },
    answer: async ({ body, caller, setTarget }) => {
      const { owner, ownerName } = rights({ caller })
      const made = await chat.create({ ...body, owner, ownerName })
      if (made.ok) setTarget(made.value.id)
      return answer(made)
    },
  }),
  requireRight(
    rights,
    'read',
    route({
      method: 'GET',
      path: '/api/conversations/:id',
      scope: 'full',
      summary: 'A conversation with its messages, and the state that each runtime needs to continue it.',
      params: idParams,
      reply: { type: JSON_TYPE, schema: conversation },
      answer: async ({ params }) => answer(await chat.get(params.id)),
    }),
  ),
  requireRight(
    rights,
    'change',
    route({
      method: 'PUT',
      path: '/api/conversations/:id',
      scope: 'full',
      summary:
        'Rename a conversation, choose the runtime that answers next, or share it with everyone in the space.',
      params: idParams,
      body: conversationChange,
      reply: { type: JSON_TYPE, schema: conversationHead },
      answer: async ({ params, body }) => answer(await chat.change(params.id, body)),
    }),
  ),
  requireRight(
    rights,
    'change',
    route({
      method: 'DELETE',
      path: '/api/conversations/:id',
      scope: 'full',
      summary:
        'Permanently delete a conversation and everything stored about it. Stops an answer in progress.',
      params: idParams,
      reply: { type: JSON_TYPE, schema: forgotReply },
      answer: async ({ params: { id } }) => {
        const there = await chat.get(id)
        if (!there.ok) return refusal(there)
        await chat.cancel(id)
        if (forget === undefined)
          return toRefusal(failure('closed', 'Panoptes cannot delete anything right now.'))
        const forgot = await forget([{ source: 'panoptes', id }])
        stream.restart()
        return answer(forgot)
      },
    }),
  ),
  requireRight(
    rights,
    'read',
    route({
      method: 'POST',
      path: '/api/conversations/:id/fork',
      scope: 'full',
      summary:
        'Start a new conversation with the messages up to a given one. Every runtime starts fresh in it.',
      params: idParams,
      body: forkInput,
      reply: { type: JSON_TYPE, schema: conversationHead },
      answer: async ({ params, body, caller }) => {
        const { owner, ownerName } = rights({ caller })
        return answer(await chat.fork(params.id, body.message_id, { owner, ownerName }))
      },
    }),
  ),
  requireRight(
    rights,
    'read',
    route({
      method: 'GET',
      path: '/api/conversations/:id/export',
      scope: 'full',
      summary: 'The whole conversation as Markdown or JSON.',
      params: idParams,
      query: exportQuery,
      reply: { type: 'text/markdown' },
      answer: async ({ params, query }) => {
        const found = await chat.get(params.id)
        return found.ok ? exportConversation(found.value, query.format) : refusal(found)
      },
    }),
  ),
  requireRight(
    rights,
    // The prompt contains memories of the owner, so reading it takes the right to change the conversation.
    'change',
    route({
      method: 'GET',
      path: '/api/conversations/:id/messages/:message/context',
      scope: 'full',
      summary:
        'The context that was sent with a person’s message, by section, and what was left out. Only the owner of the conversation can read it.',
      params: z.object({ id: z.string(), message: z.string() }),
      reply: { type: JSON_TYPE, schema: sentContext },
      answer: async ({ params }) => answer(await chat.context(params.id, params.message)),
    }),
  ),
]

const runRoutes = (chat: Chat, rights: RightsOf): readonly Route[] => [
  requireRight(
    rights,
    'change',
    route({
      method: 'POST',
      path: '/api/conversations/:id/chat',
      scope: 'full',
      summary:
        'Send a message. The answer is a stream of events: metadata, progress and chunk, then error or done. The answer continues even if the client disconnects.',
      params: idParams,
      body: chatInput,
      most: MOST,
      reply: { type: EVENTS },
      answer: async ({ params, body }) => {
        const began = await chat.chat(params.id, body)
        return began.ok ? chatStream(began.value) : refusal(began)
      },
    }),
  ),
  requireRight(
    rights,
    'read',
    route({
      method: 'GET',
      path: '/api/conversations/:id/stream',
      scope: 'full',
      summary: 'Stream the newest answer from its start, or from the event after Last-Event-ID.',
      params: idParams,
      query: z.object({ last_event_id: z.string().max(500).optional() }),
      reply: { type: EVENTS },
      answer: async ({ params, query, incoming }) => {
        const named = incoming.headers['last-event-id']
        const last = query.last_event_id ?? (Array.isArray(named) ? named[0] : named)
        const found = await chat.stream(params.id, last)
        return found.ok ? chatStream(found.value) : refusal(found)
      },
    }),
  ),
  requireRight(
    rights,
    'change',
    route({
      method: 'POST',
      path: '/api/conversations/:id/cancel',
      scope: 'full',
      summary: 'Stop the current answer. Its stream ends with done.',
      params: idParams,
      reply: { type: JSON_TYPE, schema: z.object({ cancelled: z.literal(true) }) },
      answer: async ({ params }) => {
        const stopped = await chat.cancel(params.id)
        return stopped.ok ? json({ cancelled: true }) : refusal(stopped)
      },
    }),
  ),
  requireRight(
    rights,
    'change',
    route({
      method: 'POST',
      path: '/api/conversations/:id/approvals/:request',
      scope: 'full',
      summary: 'Answer a runtime’s permission request with one of its choices.',
      params: z.object({ id: z.string(), request: z.string() }),
      body: approvalInput,
      reply: { type: JSON_TYPE, schema: z.object({ choice: z.string() }) },
      answer: async ({ params, body, setTarget }) => {
        setTarget(`${params.id}/${params.request} ${body.choice}`)
        const taken = await chat.answer(params.id, params.request, body.choice)
        return taken.ok ? json({ choice: body.choice }) : refusal(taken)
      },
    }),
  ),
  route({
    method: 'GET',
    path: '/api/runtimes',
    scope: 'full',
    summary: 'Runtimes, whether each can answer, and what is missing if it cannot.',
    reply: { type: JSON_TYPE, schema: runtimesReply },
    answer: async () => json({ runtimes: await chat.runtimes(AbortSignal.timeout(5_000)) }),
  }),
]

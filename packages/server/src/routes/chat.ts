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
import { answer, refusal } from '../chat/answers.ts'
import { exportOf, exportQuery } from '../chat/export.ts'
import { chatStream } from '../chat/stream.ts'
import { only, type RightsOf, rightsOf } from '../chat/whose.ts'
import type { Kit } from '../kit.ts'
import { refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'
import { memoryRoutes } from './memory.ts'

const EVENTS = 'text/event-stream'
/** As much as large bodies together may have. */
const MOST = 32 * 1_048_576

const one = z.object({ id: z.string() })

/** Conversations with any runtime. */
export function chatRoutes(kit: Kit): readonly Route[] {
  const { chat } = kit.options
  if (chat === undefined) return []
  const rights: RightsOf = ({ caller }) => rightsOf(chat, kit, caller)
  return [...conversations(chat, kit, rights), ...runs(chat, rights), ...memoryRoutes(chat, rights)]
}

const conversations = (
  chat: Chat,
  { options: { forget }, stream }: Kit,
  rights: RightsOf,
): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/conversations',
    scope: 'full',
    summary:
      'Conversations, the last changed first; with a text, those that have it in their title or messages.',
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
    summary: 'Begin a conversation.',
    body: newConversationInput,
    reply: { type: JSON_TYPE, schema: conversationHead },
    answer: async ({ body, caller, about }) => {
      const { owner, ownerName } = rights({ caller })
      const made = await chat.create({ ...body, owner, ownerName })
      if (made.ok) about(made.value.id)
      return answer(made)
    },
  }),
  only(
    rights,
    'read',
    route({
      method: 'GET',
      path: '/api/conversations/:id',
      scope: 'full',
      summary: 'A conversation with its messages, and what each runtime needs to go on.',
      params: one,
      reply: { type: JSON_TYPE, schema: conversation },
      answer: async ({ params }) => answer(await chat.get(params.id)),
    }),
  ),
  only(
    rights,
    'change',
    route({
      method: 'PUT',
      path: '/api/conversations/:id',
      scope: 'full',
      summary: 'Give it another title, say who is to answer next, or share it with everybody in the space.',
      params: one,
      body: conversationChange,
      reply: { type: JSON_TYPE, schema: conversationHead },
      answer: async ({ params, body }) => answer(await chat.change(params.id, body)),
    }),
  ),
  only(
    rights,
    'change',
    route({
      method: 'DELETE',
      path: '/api/conversations/:id',
      scope: 'full',
      summary: 'Remove it for good, with everything that is kept of it. What is being answered is stopped.',
      params: one,
      reply: { type: JSON_TYPE, schema: forgotReply },
      answer: async ({ params: { id } }) => {
        const there = await chat.get(id)
        if (!there.ok) return refusal(there)
        await chat.cancel(id)
        if (forget === undefined) return refusalOf(failure('closed', 'Nothing can be removed now.'))
        const forgot = await forget([{ source: 'panoptes', id }])
        stream.forgot()
        return answer(forgot)
      },
    }),
  ),
  only(
    rights,
    'read',
    route({
      method: 'POST',
      path: '/api/conversations/:id/fork',
      scope: 'full',
      summary: 'A new conversation with the messages up to one of them; every runtime begins anew in it.',
      params: one,
      body: forkInput,
      reply: { type: JSON_TYPE, schema: conversationHead },
      answer: async ({ params, body, caller }) => {
        const { owner, ownerName } = rights({ caller })
        return answer(await chat.fork(params.id, body.message_id, { owner, ownerName }))
      },
    }),
  ),
  only(
    rights,
    'read',
    route({
      method: 'GET',
      path: '/api/conversations/:id/export',
      scope: 'full',
      summary: 'The whole conversation as Markdown or JSON, for keeping elsewhere.',
      params: one,
      query: exportQuery,
      reply: { type: 'text/markdown' },
      answer: async ({ params, query }) => {
        const found = await chat.get(params.id)
        return found.ok ? exportOf(found.value, query.format) : refusal(found)
      },
    }),
  ),
  only(
    rights,
    // What is remembered of the owner is in it.
    'change',
    route({
      method: 'GET',
      path: '/api/conversations/:id/messages/:message/context',
      scope: 'full',
      summary:
        'What was sent with a message of the person’s, section by section, and what was left out. For its owner alone.',
      params: z.object({ id: z.string(), message: z.string() }),
      reply: { type: JSON_TYPE, schema: sentContext },
      answer: async ({ params }) => answer(await chat.context(params.id, params.message)),
    }),
  ),
]

const runs = (chat: Chat, rights: RightsOf): readonly Route[] => [
  only(
    rights,
    'change',
    route({
      method: 'POST',
      path: '/api/conversations/:id/chat',
      scope: 'full',
      summary:
        'Say something. The answer comes as events: metadata, progress, chunk, and at the end one of error and done. It goes on when nobody reads it.',
      params: one,
      body: chatInput,
      most: MOST,
      reply: { type: EVENTS },
      answer: async ({ params, body }) => {
        const began = await chat.chat(params.id, body)
        return began.ok ? chatStream(began.value) : refusal(began)
      },
    }),
  ),
  only(
    rights,
    'read',
    route({
      method: 'GET',
      path: '/api/conversations/:id/stream',
      scope: 'full',
      summary:
        'The newest answer from its beginning, or after the event that Last-Event-ID names, as it comes.',
      params: one,
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
  only(
    rights,
    'change',
    route({
      method: 'POST',
      path: '/api/conversations/:id/cancel',
      scope: 'full',
      summary: 'Stop what is being answered; its stream ends with done.',
      params: one,
      reply: { type: JSON_TYPE, schema: z.object({ cancelled: z.literal(true) }) },
      answer: async ({ params }) => {
        const stopped = await chat.cancel(params.id)
        return stopped.ok ? json({ cancelled: true }) : refusal(stopped)
      },
    }),
  ),
  only(
    rights,
    'change',
    route({
      method: 'POST',
      path: '/api/conversations/:id/approvals/:request',
      scope: 'full',
      summary: 'Answer a runtime that asks for permission, with one of the choices it gave.',
      params: z.object({ id: z.string(), request: z.string() }),
      body: approvalInput,
      reply: { type: JSON_TYPE, schema: z.object({ choice: z.string() }) },
      answer: async ({ params, body, about }) => {
        about(`${params.id}/${params.request} ${body.choice}`)
        const taken = await chat.answer(params.id, params.request, body.choice)
        return taken.ok ? json({ choice: body.choice }) : refusal(taken)
      },
    }),
  ),
  route({
    method: 'GET',
    path: '/api/runtimes',
    scope: 'full',
    summary: 'Who can answer, and what is missing where one cannot.',
    reply: { type: JSON_TYPE, schema: runtimesReply },
    answer: async () => json({ runtimes: await chat.runtimes(AbortSignal.timeout(5_000)) }),
  }),
]

import type { Chat } from '@panoptes/engine/chat'
import { factInput, factsReply, rememberedFact } from '@panoptes/schema'
import { z } from 'zod'
import type { RightsOf } from '../chat/conversation-access.ts'
import { answer, refusal } from '../chat/responses.ts'
import { idParams, JSON_TYPE, json, type Route, route } from '../route.ts'

/** Memories that people asked to keep; in a team each person has their own. */
export const memoryRoutes = (chat: Chat, rights: RightsOf): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/memory/facts',
    scope: 'full',
    summary: 'Facts that the person asked Panoptes to remember.',
    reply: { type: JSON_TYPE, schema: factsReply },
    answer: async ({ caller }) => {
      const facts = await chat.facts(rights({ caller }).owner)
      return facts.ok ? json({ facts: facts.value }) : refusal(facts)
    },
  }),
  route({
    method: 'POST',
    path: '/api/memory/facts',
    scope: 'full',
    summary: 'Remember a fact.',
    body: factInput,
    reply: { type: JSON_TYPE, schema: rememberedFact },
    answer: async ({ body, caller }) => answer(await chat.remember(body.text, rights({ caller }).owner)),
  }),
  route({
    method: 'DELETE',
    path: '/api/memory/facts/:id',
    scope: 'full',
    summary: 'Delete a remembered fact.',
    params: idParams,
    reply: { type: JSON_TYPE, schema: z.object({ forgotten: z.literal(true) }) },
    answer: async ({ params, caller }) => {
      const gone = await chat.forgetFact(params.id, rights({ caller }).owner)
      return gone.ok ? json({ forgotten: true }) : refusal(gone)
    },
  }),
]

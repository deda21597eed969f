import type { Chat } from '@panoptes/engine/chat'
import { factInput, factsReply, rememberedFact } from '@panoptes/schema'
import { z } from 'zod'
import { answer, refusal } from '../chat/answers.ts'
import type { RightsOf } from '../chat/whose.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

const one = z.object({ id: z.string() })

/** What people asked to keep in mind; in a team each for themselves. */
export const memoryRoutes = (chat: Chat, rights: RightsOf): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/memory/facts',
    scope: 'full',
    summary: 'What the person asked to keep in mind.',
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
    summary: 'Keep something in mind.',
    body: factInput,
    reply: { type: JSON_TYPE, schema: rememberedFact },
    answer: async ({ body, caller }) => answer(await chat.remember(body.text, rights({ caller }).owner)),
  }),
  route({
    method: 'DELETE',
    path: '/api/memory/facts/:id',
    scope: 'full',
    summary: 'No longer keep it in mind.',
    params: one,
    reply: { type: JSON_TYPE, schema: z.object({ forgotten: z.literal(true) }) },
    answer: async ({ params, caller }) => {
      const gone = await chat.forgetFact(params.id, rights({ caller }).owner)
      return gone.ok ? json({ forgotten: true }) : refusal(gone)
    },
  }),
]

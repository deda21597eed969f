import {
  agentDetail,
  agentsQuery,
  agentsReply,
  answerReply,
  answerRequest,
  conflictsReply,
  requestsReply,
} from '@panoptes/schema'
import { z } from 'zod'
import { detailOf } from '../agent-detail.ts'
import type { Kit } from '../kit.ts'
import { badInput, type Refusal, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

const params = z.object({ session: z.string(), id: z.string() })

export const agentRoutes = (kit: Kit): readonly Route[] => [
  getAgents(kit),
  getAgent(kit),
  postAnswer(kit),
  getRequests(kit),
  getConflicts(kit),
]

function getAgents({ options: { ledger } }: Kit): Route {
  return route({
    method: 'GET',
    path: '/api/agents',
    scope: 'full',
    summary:
      'Agents as the events so far show them. Where there are more than the limit, the header x-panoptes-more is true.',
    query: agentsQuery,
    reply: { type: JSON_TYPE, schema: agentsReply },
    answer: async ({ query: { source, session, state, limit } }) => {
      const found = await ledger.agents({
        source: source || undefined,
        session: session || undefined,
        states: state?.length ? state : undefined,
        limit: limit + 1,
      })
      if (!found.ok) return refusalOf(found)
      const { seq, value: agents } = found.value
      return json(agents.slice(0, limit), {
        'x-panoptes-seq': String(seq),
        'x-panoptes-more': String(agents.length > limit),
      })
    },
  })
}

const getAgent = (kit: Kit): Route =>
  route({
    method: 'GET',
    path: '/api/agents/:session/:id',
    scope: 'full',
    summary: 'One agent: where it stands in its session, what it did, and what it waits for.',
    params,
    query: z.strictObject({ source: z.string().optional() }),
    reply: { type: JSON_TYPE, schema: agentDetail },
    answer: async ({ params: { session, id }, query }) => {
      const detail = await detailOf(kit, { session, id, source: query.source || undefined })
      if (!detail.ok) return refusalOf(detail)
      return json(detail.value)
    },
  })

const postAnswer = ({ requests }: Kit): Route =>
  route({
    method: 'POST',
    path: '/api/agents/:session/:id/answer',
    scope: 'full',
    summary:
      'Answer what an agent waits with: allow or deny; for questions, allow with an answer to each, or deny.',
    params,
    body: answerRequest,
    reply: { type: JSON_TYPE, schema: answerReply },
    answer: ({ params: { session, id }, body: said, about }) => {
      about(said.choice)
      const taken = requests.answer({ session, agent: id }, said)
      if (taken.kind === 'unfit') return badInput('body', taken.problems)
      return taken.kind === 'taken' ? json({ ok: true }) : tooLate
    },
  })

const getRequests = ({ requests }: Kit): Route =>
  route({
    method: 'GET',
    path: '/api/requests',
    scope: 'full',
    summary: 'What agents wait with for an answer from the page, oldest first.',
    reply: { type: JSON_TYPE, schema: requestsReply },
    answer: () => json(requests.list()),
  })

const getConflicts = ({ conflicts }: Kit): Route =>
  route({
    method: 'GET',
    path: '/api/conflicts',
    scope: 'full',
    summary: 'Files that two agents or more edited within five minutes, the newest first.',
    reply: { type: JSON_TYPE, schema: conflictsReply },
    answer: () => json(conflicts.list()),
  })

const tooLate: Refusal = {
  status: 404,
  code: 'not_waiting',
  title: 'Not waiting',
  detail: 'The agent does not wait for this answer, or not any more.',
  next: 'Answer in the agent’s own window.',
}

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
import { readAgentDetail } from '../agent-detail.ts'
import type { AppContext } from '../app-context.ts'
import { badInput, type Refusal, toRefusal } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

const params = z.object({ session: z.string(), id: z.string() })

export const agentRoutes = (context: AppContext): readonly Route[] => [
  getAgents(context),
  getAgent(context),
  postAnswer(context),
  getRequests(context),
  getConflicts(context),
]

function getAgents({ options: { store } }: AppContext): Route {
  return route({
    method: 'GET',
    path: '/api/agents',
    scope: 'full',
    summary:
      'Agents in their current state. If there are more than the limit, the header x-panoptes-more is true.',
    query: agentsQuery,
    reply: { type: JSON_TYPE, schema: agentsReply },
    answer: async ({ query: { source, session, state, limit } }) => {
      const found = await store.agents({
        source: source || undefined,
        session: session || undefined,
        states: state?.length ? state : undefined,
        limit: limit + 1,
      })
      if (!found.ok) return toRefusal(found)
      const { seq, value: agents } = found.value
      return json(agents.slice(0, limit), {
        'x-panoptes-seq': String(seq),
        'x-panoptes-more': String(agents.length > limit),
      })
    },
  })
}

const getAgent = (context: AppContext): Route =>
  route({
    method: 'GET',
    path: '/api/agents/:session/:id',
    scope: 'full',
    summary: 'One agent: its place in the session, what it did, and what it waits for.',
    params,
    query: z.strictObject({ source: z.string().optional() }),
    reply: { type: JSON_TYPE, schema: agentDetail },
    answer: async ({ params: { session, id }, query }) => {
      const detail = await readAgentDetail(context, { session, id, source: query.source || undefined })
      if (!detail.ok) return toRefusal(detail)
      return json(detail.value)
    },
  })

const postAnswer = ({ requests }: AppContext): Route =>
  route({
    method: 'POST',
    path: '/api/agents/:session/:id/answer',
    scope: 'full',
    summary: 'Answer a request of an agent with allow or deny. For questions, allow needs an answer to each.',
    params,
    body: answerRequest,
    reply: { type: JSON_TYPE, schema: answerReply },
    answer: ({ params: { session, id }, body: decision, about }) => {
      about(decision.choice)
      const taken = requests.answer({ session, agent: id }, decision)
      if (taken.kind === 'unfit') return badInput('body', taken.problems)
      return taken.kind === 'taken' ? json({ ok: true }) : tooLate
    },
  })

const getRequests = ({ requests }: AppContext): Route =>
  route({
    method: 'GET',
    path: '/api/requests',
    scope: 'full',
    summary: 'Requests of agents that wait for an answer from the page, oldest first.',
    reply: { type: JSON_TYPE, schema: requestsReply },
    answer: () => json(requests.list()),
  })

const getConflicts = ({ conflicts }: AppContext): Route =>
  route({
    method: 'GET',
    path: '/api/conflicts',
    scope: 'full',
    summary: 'Files that two or more agents edited within five minutes, newest first.',
    reply: { type: JSON_TYPE, schema: conflictsReply },
    answer: () => json(conflicts.list()),
  })

const tooLate: Refusal = {
  status: 404,
  code: 'not_waiting',
  title: 'Not waiting',
  detail: 'The agent is not waiting for this answer.',
  next: 'If it still asks, answer in the agent’s own window.',
}

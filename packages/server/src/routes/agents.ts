import type { EventStore } from '@panoptes/engine/store'
import {
  type Agent,
  type AgentDetail,
  agentDetail,
  agentsQuery,
  agentsReply,
  answerReply,
  answerRequest,
  conflictsReply,
  countFailedCalls,
  failure,
  type Result,
  requestsReply,
  type StoredEvent,
  success,
} from '@panoptes/schema'
import { z } from 'zod'
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
    summary: 'One agent: its place in the session, what it has done, and what it is waiting for.',
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
    answer: ({ params: { session, id }, body: decision, setTarget }) => {
      setTarget(decision.choice)
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

const LATEST = 50
const MOST_OF_SESSION = 10_000

interface AgentQuery {
  readonly session: string
  readonly id: string
  readonly source: string | undefined
}

/** Reads everything that the detail panel of one agent shows. */
async function readAgentDetail(context: AppContext, wanted: AgentQuery): Promise<Result<AgentDetail>> {
  const { store } = context.options
  const all = await store.agents({ session: wanted.session, source: wanted.source, limit: MOST_OF_SESSION })
  if (!all.ok) return all
  // An agent is known by the id of the call that started it until it gets its own id, and a page may still ask by
  // that call id.
  const agent =
    all.value.value.find(({ id }) => id === wanted.id) ??
    all.value.value.find(({ tool_use_id }) => tool_use_id === wanted.id)
  if (!agent) return failure('not_found', `The session ${wanted.session} has no agent ${wanted.id}.`)
  const company = all.value.value.filter(({ source }) => source === agent.source)
  const of = { source: agent.source, session: agent.session_id, agent: agent.id }
  const [latest, tools, sessions] = await Promise.all([
    store.read({ before: Number.MAX_SAFE_INTEGER, limit: LATEST }, of),
    store.tools(),
    store.sessions({ of: [of], limit: 1 }),
  ])
  if (!latest.ok) return latest
  if (!tools.ok) return tools
  if (!sessions.ok) return sessions
  const session = sessions.value.value[0]
  const p95 = new Map(
    tools.value.value
      .filter(({ source }) => source === agent.source)
      .map(({ tool, p95_ms }) => [tool, p95_ms]),
  )
  return success({
    agent,
    session: session ?? null,
    path: pathTo(agent, company),
    children: company.filter(({ parent_id }) => parent_id === agent.id),
    tools: Object.entries(agent.tool_counts)
      .map(([tool, calls]) => ({
        tool,
        calls,
        errors: countFailedCalls(agent, tool),
        p95_ms: p95.get(tool) ?? null,
      }))
      .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1)),
    latest: parseEvents(latest.value.rows),
    resume: resumeCommand(agent.source, agent.session_id, session?.cwd ?? null),
    request: context.requests.list().find((request) => isFromAgent(request, agent)) ?? null,
  })
}

type Rows = Extract<Awaited<ReturnType<EventStore['read']>>, { ok: true }>['value']['rows']

const parseEvents = (rows: Rows): StoredEvent[] => rows.map(({ json }) => JSON.parse(json) as StoredEvent)

/** Walks from `main` down to the agent. It stops at a circle, which no real agent makes. */
function pathTo(agent: Agent, company: readonly Agent[]): string[] {
  const agentsById = new Map(company.map((each) => [each.id, each]))
  const path: string[] = []
  for (let at: Agent | undefined = agent; at && !path.includes(at.id); ) {
    path.unshift(at.id)
    at = at.parent_id === null ? undefined : agentsById.get(at.parent_id)
  }
  return path
}

const isFromAgent = (
  request: { readonly source: string; readonly session_id: string; readonly agent_id: string },
  agent: Agent,
): boolean =>
  request.source === agent.source && request.session_id === agent.session_id && request.agent_id === agent.id

const COMMANDS: Readonly<Record<string, string>> = {
  'claude-code': 'claude --resume',
  hermes: 'hermes --resume',
}

/** The shell command that resumes a session, for sources that can. */
export function resumeCommand(source: string, session: string, cwd: string | null): string | null {
  const command = Object.hasOwn(COMMANDS, source) ? COMMANDS[source] : undefined
  if (command === undefined || session === 'unknown') return null
  const go = cwd === null ? '' : `cd ${quoteWord(cwd)} && `
  return `${go}${command} ${quoteWord(session)}`
}

/** Quotes a word for the shell: names come from other programs, and people paste the command. */
const quoteWord = (text: string): string =>
  /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

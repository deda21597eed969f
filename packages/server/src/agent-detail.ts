import type { EventStore } from '@panoptes/engine/store'
import {
  type Agent,
  type AgentDetail,
  failedCalls,
  failure,
  type Result,
  type StoredEvent,
  success,
} from '@panoptes/schema'
import type { AppContext } from './app-context.ts'

const LATEST = 50
const MOST_OF_SESSION = 10_000

interface Wanted {
  readonly session: string
  readonly id: string
  readonly source: string | undefined
}

/** Reads everything that the detail panel of one agent shows. */
export async function readAgentDetail(context: AppContext, wanted: Wanted): Promise<Result<AgentDetail>> {
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
        errors: failedCalls(agent, tool),
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
  const go = cwd === null ? '' : `cd ${quoted(cwd)} && `
  return `${go}${command} ${quoted(session)}`
}

/** Quotes a word for the shell: names come from other programs, and people paste the command. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

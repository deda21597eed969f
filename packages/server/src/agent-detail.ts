import type { Ledger } from '@panoptes/engine/ledger'
import {
  type Agent,
  type AgentDetail,
  failedCalls,
  failure,
  type Result,
  type StoredEvent,
  success,
} from '@panoptes/schema'
import type { Kit } from './kit.ts'
import { resumeCommand } from './resume.ts'

const LATEST = 50
const MOST_OF_SESSION = 10_000

interface Wanted {
  readonly session: string
  readonly id: string
  readonly source: string | undefined
}

/** Everything the panel of one agent shows. */
export async function detailOf(kit: Kit, wanted: Wanted): Promise<Result<AgentDetail>> {
  const { ledger } = kit.options
  const all = await ledger.agents({ session: wanted.session, source: wanted.source, limit: MOST_OF_SESSION })
  if (!all.ok) return all
  // An agent may be known by the call that started it until its own name is, and a page may still ask by that.
  const agent =
    all.value.value.find(({ id }) => id === wanted.id) ??
    all.value.value.find(({ tool_use_id }) => tool_use_id === wanted.id)
  if (!agent) return failure('not_found', `There is no agent ${wanted.id} in the session ${wanted.session}.`)
  const company = all.value.value.filter(({ source }) => source === agent.source)
  const of = { source: agent.source, session: agent.session_id, agent: agent.id }
  const [latest, tools, sessions] = await Promise.all([
    ledger.read({ before: Number.MAX_SAFE_INTEGER, limit: LATEST }, of),
    ledger.tools(),
    ledger.sessions({ of: [of], limit: 1 }),
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
    latest: eventsOf(latest.value.rows),
    resume: resumeCommand(agent.source, agent.session_id, session?.cwd ?? null),
    request: kit.requests.list().find((request) => isOf(request, agent)) ?? null,
  })
}

type Rows = Extract<Awaited<ReturnType<Ledger['read']>>, { ok: true }>['value']['rows']

const eventsOf = (rows: Rows): StoredEvent[] => rows.map(({ json }) => JSON.parse(json) as StoredEvent)

/** From `main` down to the agent itself; a circle, which no agent makes, ends it. */
function pathTo(agent: Agent, company: readonly Agent[]): string[] {
  const known = new Map(company.map((each) => [each.id, each]))
  const path: string[] = []
  for (let at: Agent | undefined = agent; at && !path.includes(at.id); ) {
    path.unshift(at.id)
    at = at.parent_id === null ? undefined : known.get(at.parent_id)
  }
  return path
}

const isOf = (
  request: { readonly source: string; readonly session_id: string; readonly agent_id: string },
  agent: Agent,
): boolean =>
  request.source === agent.source && request.session_id === agent.session_id && request.agent_id === agent.id

import type { Account, AgentAccount, CostCell } from '@panoptes/schema'

/**
 * An account that was made of what is left of a session in the log, with what was known of the rest. Claims, skills and what each day took
 * are exact; calls of one agent on both sides of the cut count as on the side that has more.
 */
export function carried(before: Account, made: Account, since: number): Account {
  const claims = new Set(made.claims.map(({ message_id, place }) => JSON.stringify([message_id, place])))
  const skills = new Set(made.skills.map(({ id }) => id))
  const cells = cellsOf(before, made)
  const agents = new Map(before.agents.map((agent) => [agent.agent_id, agent]))
  for (const agent of made.agents)
    agents.set(agent.agent_id, joined(agents.get(agent.agent_id), agent, cells))
  return {
    ...made,
    title: made.title ?? before.title,
    project: made.project ?? before.project,
    agents: [...agents.values()],
    claims: [
      ...before.claims.filter(
        ({ ts, message_id, place }) => ts < since && !claims.has(JSON.stringify([message_id, place])),
      ),
      ...made.claims,
    ],
    skills: [...before.skills.filter(({ ts, id }) => ts < since && !skills.has(id)), ...made.skills],
    cells,
  }
}

/** Of a day that was cut, the cell that knows more of it. */
function cellsOf(before: Account, made: Account): CostCell[] {
  const cells = new Map(before.cells.map((cell) => [keyOf(cell), cell]))
  for (const cell of made.cells) {
    const known = cells.get(keyOf(cell))
    if (known === undefined || known.replies <= cell.replies) cells.set(keyOf(cell), cell)
  }
  return [...cells.values()]
}

const keyOf = ({ day, agent_id, model, skill }: CostCell): string =>
  JSON.stringify([day, agent_id, model, skill])

function joined(
  before: AgentAccount | undefined,
  made: AgentAccount,
  cells: readonly CostCell[],
): AgentAccount {
  if (before === undefined) return made
  const own = cells.filter(({ agent_id }) => agent_id === made.agent_id)
  const sum = (of: (cell: CostCell) => number) => own.reduce((total, cell) => total + of(cell), 0)
  const isKnown = own.some(({ replies, usage_unknown }) => replies > usage_unknown)
  const stats = { ...before.tool_stats }
  for (const [tool, count] of Object.entries(made.tool_stats)) stats[tool] = Math.max(stats[tool] ?? 0, count)
  const started = least(before.started_at, made.started_at)
  return {
    ...made,
    parent_id: made.parent_id ?? before.parent_id,
    subagent_type: made.subagent_type ?? before.subagent_type,
    description: made.description ?? before.description,
    model: made.model ?? before.model,
    started_at: started,
    duration_ms: started === null || made.last_at === null ? made.duration_ms : made.last_at - started,
    outcome: made.outcome ?? before.outcome,
    stubs: made.stubs ?? before.stubs,
    status: made.status ?? before.status,
    said_at: made.said_at ?? before.said_at,
    flags: made.status === null ? before.flags : made.flags,
    tool_stats: stats,
    tool_use_count: Math.max(
      before.tool_use_count,
      made.tool_use_count,
      Object.values(stats).reduce((total, count) => total + count, 0),
    ),
    errors: Math.max(before.errors, made.errors),
    ...(isKnown && {
      tokens_in: sum((cell) => cell.tokens_in),
      tokens_out: sum((cell) => cell.tokens_out),
      cache_read: sum((cell) => cell.cache_read),
      cache_write: sum((cell) => cell.cache_write),
    }),
    ...(own.some(({ replies, cost_unknown }) => replies > cost_unknown) && {
      cost_micro_usd: sum((cell) => cell.cost_micro_usd),
    }),
    cost_unknown: sum((cell) => cell.cost_unknown),
  }
}

const least = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)

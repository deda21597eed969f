import type { Account, AgentAccount, CostCell } from '@panoptes/schema'
import type { Since } from '../make/index.ts'

/**
 * An account of which retention took a part of the events, with what was told since it was made: calls and costs of `made` are only
 * those. What was counted stays as it was, by the days and prices of then, and nothing counts twice.
 */
export function carried(before: Account, made: Account, { takenBack, isTakenBack, nameOf }: Since): Account {
  const renamed = <T extends { readonly agent_id: string }>(row: T): T => ({
    ...row,
    agent_id: nameOf(row.agent_id),
  })
  const claims = new Set(made.claims.map(claimKey))
  const skills = new Set(made.skills.map(useKey))
  const cells = cellsOf([...before.cells.map(renamed), ...made.cells], takenBack)
  const agents = new Map<string, AgentAccount>()
  for (const agent of [...before.agents.map(renamed), ...made.agents]) {
    const known = agents.get(agent.agent_id)
    agents.set(agent.agent_id, known === undefined ? agent : joined(known, agent))
  }
  return {
    ...made,
    title: made.title ?? before.title,
    project: made.project ?? before.project,
    agents: [...agents.values()].map((agent) => spent(agent, cells)),
    claims: [
      ...before.claims.map(renamed).filter((claim) => !claims.has(claimKey(claim)) && !isTakenBack(claim)),
      ...made.claims,
    ],
    skills: [...before.skills.map(renamed).filter((use) => !skills.has(useKey(use))), ...made.skills],
    cells,
  }
}

const claimKey = ({ message_id, place }: Account['claims'][number]): string =>
  JSON.stringify([message_id, place])
const useKey = ({ agent_id, id }: Account['skills'][number]): string => JSON.stringify([agent_id, id])

const ADDED = [
  'replies',
  'tokens_in',
  'tokens_out',
  'cache_read',
  'cache_write',
  'cost_micro_usd',
  'usage_unknown',
  'cost_unknown',
  'saved_micro_usd',
] as const

function cellsOf(more: readonly CostCell[], less: readonly CostCell[]): CostCell[] {
  const cells = new Map<string, CostCell>()
  const add = (cell: CostCell, sign: 1 | -1) => {
    const key = JSON.stringify([cell.day, cell.agent_id, cell.model, cell.skill])
    const sum = cells.get(key) ?? { ...cell, ...NOTHING }
    for (const name of ADDED) sum[name] += sign * cell[name]
    cells.set(key, sum)
  }
  for (const cell of more) add(cell, 1)
  for (const cell of less) add(cell, -1)
  return [...cells.values()].filter((cell) => ADDED.some((name) => cell[name] !== 0))
}

const NOTHING = Object.fromEntries(ADDED.map((name) => [name, 0])) as Pick<CostCell, (typeof ADDED)[number]>

function joined(before: AgentAccount, made: AgentAccount): AgentAccount {
  const stats = { ...before.tool_stats }
  for (const [tool, count] of Object.entries(made.tool_stats)) stats[tool] = (stats[tool] ?? 0) + count
  const calls = Object.values(made.tool_stats).reduce((sum, count) => sum + count, 0)
  const started = least(before.started_at, made.started_at)
  const last = most(before.last_at, made.last_at)
  return {
    ...made,
    parent_id: made.parent_id ?? before.parent_id,
    subagent_type: made.subagent_type ?? before.subagent_type,
    description: made.description ?? before.description,
    model: made.model ?? before.model,
    started_at: started,
    last_at: last,
    duration_ms: most(
      most(before.duration_ms, made.duration_ms),
      started === null || last === null ? null : last - started,
    ),
    outcome: made.outcome ?? before.outcome,
    stubs: made.stubs ?? before.stubs,
    status: made.status ?? before.status,
    said_at: made.said_at ?? before.said_at,
    flags: made.status === null ? before.flags : made.flags,
    tool_stats: stats,
    tool_use_count: Math.max(before.tool_use_count + calls, made.tool_use_count),
    errors: before.errors + made.errors,
    tokens_in: made.tokens_in ?? before.tokens_in,
    tokens_out: made.tokens_out ?? before.tokens_out,
    cache_read: made.cache_read ?? before.cache_read,
    cache_write: made.cache_write ?? before.cache_write,
  }
}

/** What is known of it is the sum of its cells. */
function spent(agent: AgentAccount, cells: readonly CostCell[]): AgentAccount {
  const own = cells.filter(({ agent_id }) => agent_id === agent.agent_id)
  const sum = (of: (cell: CostCell) => number) => own.reduce((total, cell) => total + of(cell), 0)
  const told = (known: number | null, of: (cell: CostCell) => number) => (known === null ? null : sum(of))
  const isPriced = own.some(
    ({ replies, usage_unknown, cost_unknown }) => replies > usage_unknown + cost_unknown,
  )
  return {
    ...agent,
    tokens_in: told(agent.tokens_in, (cell) => cell.tokens_in),
    tokens_out: told(agent.tokens_out, (cell) => cell.tokens_out),
    cache_read: told(agent.cache_read, (cell) => cell.cache_read),
    cache_write: told(agent.cache_write, (cell) => cell.cache_write),
    cost_micro_usd: isPriced ? sum((cell) => cell.cost_micro_usd) : null,
    cost_unknown: sum((cell) => cell.cost_unknown + cell.usage_unknown),
  }
}

const least = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
const most = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

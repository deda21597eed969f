import type { Account, AgentAccount, CostCell, CostGroup } from '@panoptes/schema'
import type { AccountFilter } from '../accounts-port.ts'

/** The same answers, said as plainly as possible: by looking at everything. */
const nameOf = (name: string | null) => name ?? '–'

type Timed = { readonly at: number | null; readonly project: string | null; readonly of: Account }

const isIn =
  ({ since, until, source, project, session }: AccountFilter) =>
  ({ at, project: own, of }: Timed): boolean =>
    (source === undefined || of.source === source) &&
    (project === undefined || nameOf(own) === project) &&
    (session === undefined || of.session_id === session) &&
    ((since === undefined && until === undefined) ||
      (at !== null && at >= (since ?? 0) && at < (until ?? Number.POSITIVE_INFINITY)))

const midnight = (day: string): number => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).getTime()
}

const cellsIn = (all: readonly Account[], filter: AccountFilter) =>
  all.flatMap((of) =>
    of.cells
      .filter(({ day }) => isIn(filter)({ at: midnight(day), project: of.project, of }))
      .map((cell) => ({ of, cell })),
  )

export const agentsIn = (all: readonly Account[], filter: AccountFilter): AgentAccount[] =>
  all.flatMap((of) =>
    of.agents.filter(({ last_at: at, project, finished }) => finished && isIn(filter)({ at, project, of })),
  )
export const claimsIn = (all: readonly Account[], filter: AccountFilter) =>
  all.flatMap((of) => of.claims.filter(({ ts: at, project }) => isIn(filter)({ at, project, of })))
export const usesIn = (all: readonly Account[], filter: AccountFilter) =>
  all.flatMap((of) => of.skills.filter(({ ts: at, project }) => isIn(filter)({ at, project, of })))
const followUpsIn = (all: readonly Account[], filter: AccountFilter) =>
  all.flatMap((of) =>
    of.agents
      .filter(({ finished }) => finished)
      .flatMap(({ last_at, started_at, project, status }) =>
        (status?.follow_ups ?? []).filter(() => isIn(filter)({ at: last_at ?? started_at, project, of })),
      ),
  )

const typeIn = (of: Account, id: string): string => {
  const own = of.agents.findLast(({ agent_id }) => agent_id === id)
  return id === 'main' ? 'main' : nameOf(own?.subagent_type ?? null)
}

const names: Record<CostGroup, (of: Account, cell: CostCell) => string> = {
  day: (_of, { day }) => day,
  source: ({ source }) => source,
  project: ({ project }) => nameOf(project),
  model: (_of, { model }) => nameOf(model),
  agent: (of, { agent_id }) => typeIn(of, agent_id),
  skill: (_of, { skill }) => nameOf(skill),
  session: ({ source, session_id }) => `${source}/${session_id}`,
}

/** Rows in no order. */
export function costsFromScratch(
  all: readonly Account[],
  {
    by,
    splitByModel,
    model,
    ...filter
  }: AccountFilter & { by: CostGroup; splitByModel: boolean; model?: string | undefined },
) {
  const found = cellsIn(all, filter).filter(({ cell }) => model === undefined || nameOf(cell.model) === model)
  const rows = Map.groupBy(found, ({ of, cell }) =>
    JSON.stringify([names[by](of, cell), splitByModel ? nameOf(cell.model) : null]),
  )
  return [...rows].map(([key, cells]) => {
    const [name, split] = JSON.parse(key) as [string, string | null]
    const sum = (field: 'cost_micro_usd' | 'cost_unknown' | 'tokens_in' | 'replies') =>
      cells.reduce((total, { cell }) => total + cell[field], 0)
    return {
      name,
      model: split,
      sessions: new Set(cells.map(({ of }) => of)).size,
      cost_micro_usd: sum('cost_micro_usd'),
      cost_unknown: sum('cost_unknown'),
      tokens_in: sum('tokens_in'),
      replies: sum('replies'),
    }
  })
}

export function totalsFromScratch(all: readonly Account[], filter: AccountFilter) {
  const cells = cellsIn(all, filter)
  const agents = agentsIn(all, filter)
  const claims = claimsIn(all, filter)
  const checked = claims.filter(
    ({ check, evidence_tier }) => check.verdict !== 'open' && evidence_tier !== 'ESTIMATE-HTC',
  )
  const ended = (of: Account) => {
    const date = of.last_at === null ? null : new Date(of.last_at)
    const at = date && new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
    return isIn(filter)({ at, project: of.project, of })
  }
  const seen = all.filter((of) => ended(of) || cells.some((each) => each.of === of))
  return {
    sessions: seen.length,
    sessions_without_price: new Set(
      cells.filter(({ cell }) => cell.cost_unknown + cell.usage_unknown > 0).map(({ of }) => of),
    ).size,
    cost_micro_usd: cells.reduce((sum, { cell }) => sum + cell.cost_micro_usd, 0),
    cost_unknown: cells.reduce((sum, { cell }) => sum + cell.cost_unknown, 0),
    saved_micro_usd: cells.reduce((sum, { cell }) => sum + cell.saved_micro_usd, 0),
    agents: agents.length,
    marked: agents.filter(({ outcome }) => outcome !== null).length,
    functional: agents.filter(({ outcome }) => outcome === 'functional').length,
    claims: claims.length,
    claims_checked: checked.length,
    claims_failed: checked.filter(({ check }) => check.verdict === 'fails').length,
    followups: followUpsIn(all, filter).length,
  }
}

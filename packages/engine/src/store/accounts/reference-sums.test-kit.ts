import type { Account, AgentAccount, CostCell, CostGroup } from '@panoptes/schema'
import type { AccountFilter } from '../accounts-port.ts'

/** Computes the same answers in the plainest way, by looking at everything. */
const nameOrDash = (name: string | null) => name ?? '–'

type Timed = { readonly at: number | null; readonly project: string | null; readonly of: Account }

const isIn =
  ({ since, until, source, project, session }: AccountFilter) =>
  ({ at, project: own, of }: Timed): boolean =>
    (source === undefined || of.source === source) &&
    (project === undefined || nameOrDash(own) === project) &&
    (session === undefined || of.session_id === session) &&
    ((since === undefined && until === undefined) ||
      (at !== null && at >= (since ?? 0) && at < (until ?? Number.POSITIVE_INFINITY)))

const midnight = (day: string): number => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).getTime()
}

const two = (value: number) => String(value).padStart(2, '0')
const toDay = (at: number): string => {
  const date = new Date(at)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Outside spending counts on the last day of its session. */
const outsideIn = (all: readonly Account[], filter: AccountFilter) =>
  all.flatMap((of) => {
    const days = [...of.cells.map(({ day }) => day), ...(of.last_at === null ? [] : [toDay(of.last_at)])]
    const day = days.sort().at(-1)
    if (!of.outside || day === undefined) return []
    const isSelected = isIn(filter)({ at: midnight(day), project: of.project, of })
    return isSelected ? [{ of, day, outside: of.outside }] : []
  })

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
  return id === 'main' ? 'main' : nameOrDash(own?.subagent_type ?? null)
}

const names: Record<CostGroup, (of: Account, cell: CostCell) => string> = {
  day: (_of, { day }) => day,
  source: ({ source }) => source,
  project: ({ project }) => nameOrDash(project),
  model: (_of, { model }) => nameOrDash(model),
  agent: (of, { agent_id }) => typeIn(of, agent_id),
  skill: (_of, { skill }) => nameOrDash(skill),
  session: ({ source, session_id }) => `${source}/${session_id}`,
}

/** Returns the rows in no particular order. */
export function costsFromScratch(
  all: readonly Account[],
  {
    by,
    splitByModel,
    model,
    ...filter
  }: AccountFilter & { by: CostGroup; splitByModel: boolean; model?: string | undefined },
) {
  const outside = outsideIn(all, filter).flatMap(({ of, day, outside: { models, cost_micro_usd } }) => {
    const isWhole = by !== 'model' && !splitByModel && model === undefined
    const parts = isWhole ? [{ model: null, cost_micro_usd }] : models
    return parts
      .filter((part) => model === undefined || nameOrDash(part.model) === model)
      .map((part) => ({
        name: names[by](of, { ...NO_CELL, day, model: part.model }),
        model: splitByModel ? nameOrDash(part.model) : null,
        cost: part.cost_micro_usd,
      }))
  })
  const isReported =
    by !== 'agent' && by !== 'skill' && (by !== 'session' || hasSession(filter) || !(splitByModel || model))
  const outsideCost = (name: string, split: string | null) =>
    outside.reduce((sum, row) => sum + (row.name === name && row.model === split ? row.cost : 0), 0)
  const found = cellsIn(all, filter).filter(
    ({ cell }) => model === undefined || nameOrDash(cell.model) === model,
  )
  const rows = Map.groupBy(found, ({ of, cell }) =>
    JSON.stringify([names[by](of, cell), splitByModel ? nameOrDash(cell.model) : null]),
  )
  const shown = [...rows].map(([key, cells]) => {
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
      ...(isReported && {
        outside_micro_usd: outsideCost(name, split),
        outside_unknown: new Set(cells.map(({ of }) => of).filter((of) => !of.outside)).size,
      }),
    }
  })
  const named = new Set(shown.map((row) => JSON.stringify([row.name, row.model])))
  const alone = isReported
    ? [...new Set(outside.map((row) => JSON.stringify([row.name, row.model])))].filter(
        (key) => !named.has(key),
      )
    : []
  // A session is listed only if it has replies.
  const isListed = (name: string) => by !== 'session' || shown.some((row) => row.name === name)
  return [
    ...shown,
    ...alone.map((key) => {
      const [name, split] = JSON.parse(key) as [string, string | null]
      return {
        ...{ name, model: split, sessions: 0, cost_micro_usd: 0, cost_unknown: 0, tokens_in: 0, replies: 0 },
        ...{ outside_micro_usd: outsideCost(name, split), outside_unknown: 0 },
      }
    }),
  ].filter((row) => row.sessions > 0 || ((row.outside_micro_usd ?? 0) > 0 && isListed(row.name)))
}

const hasSession = ({ session }: AccountFilter): boolean => session !== undefined
const NO_CELL = { agent_id: 'main', skill: null } as CostCell

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
    outside_micro_usd: outsideIn(all, filter).reduce((sum, { outside }) => sum + outside.cost_micro_usd, 0),
    outside_unknown: seen.filter(({ outside }) => !outside).length,
    agents: agents.length,
    marked: agents.filter(({ outcome }) => outcome !== null).length,
    functional: agents.filter(({ outcome }) => outcome === 'functional').length,
    claims: claims.length,
    claims_checked: checked.length,
    claims_failed: checked.filter(({ check }) => check.verdict === 'fails').length,
    followups: followUpsIn(all, filter).length,
  }
}

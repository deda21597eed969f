import { check, type SavedFilter, type SavedQuery, savedQuery } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, EXIT } from '../../failure.ts'
import { columns } from '../../terminal/format.ts'
import { type Filter, type PastSessions, withSessions } from './access.ts'
import { plain } from './format.ts'

export interface FilterOptions {
  readonly save?: string
  readonly remove?: string
}

/** Lists the saved filters, or saves or removes one. */
export async function filters(context: Context, options: FilterOptions & Filter): Promise<void> {
  const { save, remove, ...filter } = options
  const saved = await withSessions(
    context,
    async (sessions) => {
      if (remove !== undefined) await sessions.dropFilter(remove)
      if (save !== undefined) await sessions.saveFilter(save, toSavedQuery(toFilter(filter)))
      return sessions.filters()
    },
    save === undefined ? 'read' : 'write',
  )
  const rows = saved.map(({ name, query }) => [plain(name, 40), words(query)])
  context.output.answer(
    rows.length > 0
      ? columns(rows, '')
      : ['No saved filters', 'Save one with: panoptes sessions filters --save NAME --project notes'],
    saved,
  )
}

/** Maps option names to filter fields. */
const toFilter = ({ minCost, ...filter }: Filter): Filter =>
  minCost === undefined ? filter : { ...filter, min_cost_micro_usd: minCost }

function toSavedQuery(filter: Filter): SavedQuery {
  const read = check(savedQuery, filter)
  if (read.ok) return read.value
  const [problem] = read.problems
  throw new CommandFailure(`Invalid filter: ${problem?.path} ${problem?.reason}`, {
    code: 'invalid',
    exit: EXIT.usage,
  })
}

const words = ({ min_cost_micro_usd: cost, ...query }: SavedQuery): string =>
  Object.entries({ ...query, ...(cost === undefined ? {} : { 'min-cost': `$${cost / 1_000_000}` }) })
    .map(([name, value]) => `${name}=${plain(String(value), 40)}`)
    .join(' ') || 'everything'

const DAY_MS = 86_400_000

/** Merges options with a saved filter; options win. Search words of a saved filter apply only on the page. */
export async function withSaved(sessions: PastSessions, options: Filter): Promise<Filter> {
  const { filter: name, ...overrides } = toFilter(options)
  if (name === undefined) return overrides
  const saved = (await sessions.filters()).find((each: SavedFilter) => each.name === name)
  if (saved === undefined)
    throw new CommandFailure(`No saved filter is named ${name}`, {
      code: 'not_found',
      next: 'List saved filters: panoptes sessions filters',
    })
  const { since, q: _q, errors, ...rest } = saved.query
  const from = typeof since === 'string' ? Date.now() - Number.parseInt(since, 10) * DAY_MS : since
  return {
    ...rest,
    ...(from === undefined ? {} : { since: from }),
    ...(errors ? { errors } : {}),
    ...overrides,
  }
}

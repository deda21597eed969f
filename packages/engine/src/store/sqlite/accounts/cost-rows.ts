import type { CostRow } from '@panoptes/schema'
import { SPENT } from '../../accounts/cost-facts.ts'
import { orderCostRows } from '../../accounts/costs.ts'
import { type OutsideRow, withOutside } from '../../accounts/outside-costs.ts'
import type { CostQuery } from '../../accounts-port.ts'

/**
 * Cost rows as the text of a list of lists, so that long lists are parsed only where they are needed, and
 * only once.
 */
export interface CostText {
  readonly rows: string
  /**
   * The names of the models that rows refer to by number. When it is empty, rows contain the names
   * themselves.
   */
  readonly models: ReadonlyMap<number, string>
}

/** Cost rows together with outside spending. */
export type AllCostText = CostText & { readonly outside: readonly OutsideRow[] | null }

const FIELDS = ['name', 'model', 'source', 'sessions', ...SPENT] as const
type Listed = readonly [string, string | number | null, string | null, ...number[]]

export const costText = (rows: readonly CostRow[]): CostText => ({
  rows: JSON.stringify(rows.map((row) => FIELDS.map((field) => row[field]))),
  models: new Map(),
})

export function readCosts({ rows, models, outside }: AllCostText, query: CostQuery): readonly CostRow[] {
  const lists = JSON.parse(rows) as Listed[]
  const shown = lists.map(
    ([name, model, source, sessions = 0, replies = 0, ...[input = 0, output = 0, ...more]]): CostRow => {
      const [cache_read = 0, cache_write = 0, cost = 0, usage_unknown = 0, cost_unknown = 0, saved = 0] = more
      return {
        name,
        model: typeof model === 'number' ? (models.get(model) ?? null) : model,
        source,
        sessions,
        replies,
        tokens_in: input,
        tokens_out: output,
        cache_read,
        cache_write,
        cost_micro_usd: cost,
        usage_unknown,
        cost_unknown,
        saved_micro_usd: saved,
      }
    },
  )
  return orderCostRows(withOutside(shown, outside), query)
}

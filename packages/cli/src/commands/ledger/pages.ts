import { MOST_LEDGER_ROWS } from '@panoptes/schema'
import type { Output } from '../../terminal/output.ts'
import type { QueryParams } from './access.ts'

/** The default number of rows in a terminal. */
const SHOWN = 50

/** Returns the requested rows. Without a limit, people get the first rows and programs get all. */
export async function listed<R extends { readonly total: number }>(
  { json }: Pick<Output, 'json'>,
  { csv, limit, ...query }: QueryParams & { readonly csv?: boolean },
  ask: (query: QueryParams) => Promise<R>,
  selectRows: (reply: R) => unknown[],
): Promise<R> {
  if (limit !== undefined || (!json && csv !== true)) return ask({ ...query, limit: limit ?? SHOWN })
  const from = Number(query.offset ?? 0)
  const first = await ask({ ...query, limit: MOST_LEDGER_ROWS })
  const rows = selectRows(first)
  for (let more = rows.length; more === MOST_LEDGER_ROWS; ) {
    const next = selectRows(await ask({ ...query, limit: MOST_LEDGER_ROWS, offset: from + rows.length }))
    rows.push(...next)
    more = next.length
  }
  return first
}

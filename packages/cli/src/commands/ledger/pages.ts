import { MOST_LEDGER_ROWS } from '@panoptes/schema'
import type { Output } from '../../terminal/output.ts'
import type { Asked } from './access.ts'

/** What a person sees at once. */
const SHOWN = 50

/** A list as it was asked for: the first rows for people, and without a limit all of them for programs. */
export async function listed<R extends { readonly total: number }>(
  { json }: Pick<Output, 'json'>,
  { csv, limit, ...query }: Asked & { readonly csv?: boolean },
  ask: (query: Asked) => Promise<R>,
  rowsOf: (reply: R) => unknown[],
): Promise<R> {
  if (limit !== undefined || (!json && csv !== true)) return ask({ ...query, limit: limit ?? SHOWN })
  const from = Number(query.offset ?? 0)
  const first = await ask({ ...query, limit: MOST_LEDGER_ROWS })
  const rows = rowsOf(first)
  for (let more = rows.length; more === MOST_LEDGER_ROWS; ) {
    const next = rowsOf(await ask({ ...query, limit: MOST_LEDGER_ROWS, offset: from + rows.length }))
    rows.push(...next)
    more = next.length
  }
  return first
}

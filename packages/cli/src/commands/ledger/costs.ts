import type { CostRow } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { count } from '../../terminal/words.ts'
import { dollars, plain } from '../sessions/words.ts'
import { type Asked, withLedger } from './access.ts'
import { answerTable } from './answer.ts'
import { costText, usd } from './words.ts'

export async function costs(
  context: Context,
  options: Asked & { readonly csv?: boolean; readonly by: string },
): Promise<void> {
  const { csv, ...query } = options
  const rows = await withLedger(context, (ledger) => ledger.costs(query))
  const split = query.split !== undefined
  answerTable(
    context,
    { csv: csv === true },
    {
      rows,
      head: [
        query.by,
        ...(split ? ['model'] : []),
        'sessions',
        'replies',
        'in',
        'out',
        'from cache',
        'to cache',
        'cost',
        'saved by cache',
      ],
      cells: (row) => [plain(row.name, 60), ...(split ? [plain(row.model ?? '–', 40)] : []), ...figures(row)],
      words: split ? [0, 1] : [0],
      cut: { 0: 10 },
      drop: [],
      csvHead: CSV,
      csvCells,
      document: rows,
      empty: ['Nothing was spent, as far as can be told'],
    },
  )
}

const figures = (row: CostRow): readonly string[] => [
  count(row.sessions),
  count(row.replies),
  count(row.tokens_in),
  count(row.tokens_out),
  count(row.cache_read),
  count(row.cache_write),
  costText(row),
  row.saved_micro_usd < 0 ? `-${dollars(-row.saved_micro_usd)}` : dollars(row.saved_micro_usd),
]

const CSV = [
  'name',
  'model',
  'sessions',
  'replies',
  'tokens_in',
  'tokens_out',
  'cache_read',
  'cache_write',
  'cost_usd',
  'cost_unknown',
  'usage_unknown',
  'saved_usd',
]

const csvCells = (row: CostRow) => [
  row.name,
  row.model,
  row.sessions,
  row.replies,
  row.tokens_in,
  row.tokens_out,
  row.cache_read,
  row.cache_write,
  usd(row.cost_micro_usd),
  row.cost_unknown,
  row.usage_unknown,
  usd(row.saved_micro_usd),
]

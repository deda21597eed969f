import type { CostRow } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import type { QueryParams } from '../../json-requests.ts'
import { count } from '../../terminal/format.ts'
import { dollars, outsideText, plain, tokenCount } from '../sessions/format.ts'
import { withLedger } from './access.ts'
import { costText, printTable, usd } from './format.ts'

export async function costs(
  context: Context,
  options: QueryParams & { readonly csv?: boolean; readonly by: string },
): Promise<void> {
  const { csv, split: wanted, ...filters } = options
  // When grouped by model, each row is already one model.
  const query = { ...filters, split: filters.by === 'model' ? undefined : wanted }
  const rows = await withLedger(context, (store) => store.costs(query))
  const split = query.split !== undefined
  printTable(
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
        'outside',
        'saved by cache',
      ],
      cells: (row) => [plain(row.name, 60), ...(split ? [plain(row.model ?? '–', 40)] : []), ...figures(row)],
      words: split ? [0, 1] : [0],
      cut: { 0: 10 },
      drop: [],
      csvHead: CSV,
      csvCells,
      document: rows,
      empty: ['No known costs'],
    },
  )
}

const figures = (row: CostRow): readonly string[] => [
  count(row.sessions),
  count(row.replies),
  tokenCount(row.tokens_in, row.usage_unknown),
  tokenCount(row.tokens_out, row.usage_unknown),
  tokenCount(row.cache_read, row.usage_unknown),
  tokenCount(row.cache_write, row.usage_unknown),
  costText(row),
  outsideText(row.outside_micro_usd, row.outside_unknown),
  isUnknown(row) && row.saved_micro_usd === 0
    ? '–'
    : row.saved_micro_usd < 0
      ? `-${dollars(-row.saved_micro_usd)}`
      : dollars(row.saved_micro_usd),
]

/** None of it has a known price. */
const isUnknown = ({ cost_micro_usd, cost_unknown, usage_unknown }: CostRow): boolean =>
  cost_micro_usd === 0 && cost_unknown + usage_unknown > 0

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
  'outside_usd',
  'outside_unknown',
]

const csvCells = (row: CostRow) => [
  row.name,
  row.model,
  row.sessions,
  row.replies,
  ...[row.tokens_in, row.tokens_out, row.cache_read, row.cache_write].map((tokens) =>
    tokens === 0 && row.usage_unknown > 0 ? null : tokens,
  ),
  isUnknown(row) ? null : usd(row.cost_micro_usd),
  row.cost_unknown,
  row.usage_unknown,
  isUnknown(row) && row.saved_micro_usd === 0 ? null : usd(row.saved_micro_usd),
  row.outside_micro_usd === undefined || (row.outside_micro_usd === 0 && (row.outside_unknown ?? 0) > 0)
    ? null
    : usd(row.outside_micro_usd),
  row.outside_unknown ?? null,
]

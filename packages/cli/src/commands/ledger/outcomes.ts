import type { OutcomeRow } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import type { QueryParams } from '../../json-requests.ts'
import { count } from '../../terminal/format.ts'
import { plain } from '../sessions/format.ts'
import { withLedger } from './access.ts'
import { printTable } from './format.ts'

const NUMBERS = [
  'agents',
  'functional',
  'partial',
  'scaffolding',
  'fail',
  'stopped',
  'lost',
  'none',
  'flagged',
] as const

export async function outcomes(
  context: Context,
  options: QueryParams & { readonly csv?: boolean },
): Promise<void> {
  const { csv, ...query } = options
  const rows = await withLedger(context, (store) => store.outcomes(query))
  printTable<OutcomeRow>(
    context,
    { csv: csv === true },
    {
      rows,
      head: ['type', ...NUMBERS],
      cells: (row) => [plain(row.type, 40), ...NUMBERS.map((name) => count(row[name]))],
      words: [0],
      cut: { 0: 10 },
      csvHead: ['type', ...NUMBERS],
      csvCells: (row) => [row.type, ...NUMBERS.map((name) => row[name])],
      document: rows,
      empty: ['No agent has finished yet'],
    },
  )
}

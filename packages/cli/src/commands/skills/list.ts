import type { LedgerSkill } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { count, duration } from '../../terminal/format.ts'
import { withLedger } from '../ledger/access.ts'
import { formatOrDash, percent, printTable } from '../ledger/format.ts'
import { dateTime, plain } from '../sessions/format.ts'

export interface ListOptions {
  readonly verdict?: string
  readonly csv?: boolean
}

/** Lists every skill that was used or has a folder, with its verdict. */
export async function list(context: Context, { csv, verdict }: ListOptions): Promise<void> {
  const reply = await withLedger(context, (store) => store.skills({ verdict }))
  printTable(
    context,
    { csv: csv === true },
    {
      rows: reply.skills,
      head: ['skill', 'uses', 'success', '95 %', 'p50', 'p95', 'last used', 'verdict', 'why'],
      cells,
      words: [0, 6, 7, 8],
      cut: { 0: 12, 8: 20 },
      drop: [5, 4, 6, 8],
      csvHead: CSV,
      csvCells,
      document: reply,
      empty: [
        verdict === undefined ? 'No skills yet' : 'No skill matches',
        'A skill appears when an agent uses it or when it has a folder. Record a use with: panoptes record-skill NAME --success 1',
      ],
      foot: [
        `Uses of the last ${reply.window_days === 1 ? 'day' : `${reply.window_days} days`}. To review them: panoptes skills review`,
      ],
    },
  )
}

const cells = (one: LedgerSkill): readonly string[] => [
  plain(one.skill, 48),
  count(one.uses),
  percent(one.rate),
  one.low === null || one.high === null ? '–' : `${percent(one.low)}–${percent(one.high)}`,
  formatOrDash(one.p50_ms, duration),
  formatOrDash(one.p95_ms, duration),
  one.last_used === null ? 'never' : dateTime(one.last_used),
  one.verdict,
  plain(one.reason, 200),
]

const CSV = [
  'skill',
  'uses',
  'judged',
  'successes',
  'rate',
  'low',
  'high',
  'p50_ms',
  'p95_ms',
  'last_used',
  'all_uses',
  'verdict',
  'reason',
  'folders',
]

const csvCells = (one: LedgerSkill) => [
  one.skill,
  one.uses,
  one.judged,
  one.successes,
  one.rate,
  one.low,
  one.high,
  one.p50_ms,
  one.p95_ms,
  one.last_used === null ? null : new Date(one.last_used).toISOString(),
  one.all_uses,
  one.verdict,
  one.reason,
  one.folders.join('; '),
]

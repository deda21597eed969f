import type { LedgerSkill } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { count, duration } from '../../terminal/words.ts'
import { withLedger } from '../ledger/access.ts'
import { answerTable } from '../ledger/answer.ts'
import { known, percent } from '../ledger/words.ts'
import { dateTime, plain } from '../sessions/words.ts'

export interface ListOptions {
  readonly verdict?: string
  readonly csv?: boolean
}

/** Every skill that was used or has a folder, with what the rules say of it. */
export async function list(context: Context, { csv, verdict }: ListOptions): Promise<void> {
  const reply = await withLedger(context, (ledger) => ledger.skills({ verdict }))
  answerTable(
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
        verdict === undefined ? 'No skill is known' : 'No skill fits',
        'Skills are listed once an agent used one, or where one has a folder. Tell of a use: panoptes record-skill NAME --success 1',
      ],
      foot: [`Uses of the last ${reply.window_days} days. What a review would do: panoptes skills review`],
    },
  )
}

const cells = (one: LedgerSkill): readonly string[] => [
  plain(one.skill, 48),
  count(one.uses),
  percent(one.rate),
  one.low === null || one.high === null ? '–' : `${percent(one.low)}–${percent(one.high)}`,
  known(one.p50_ms, duration),
  known(one.p95_ms, duration),
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

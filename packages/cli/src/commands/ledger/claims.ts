import type { Claim } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { count } from '../../terminal/words.ts'
import { dateTime, plain } from '../sessions/words.ts'
import { type Asked, withLedger } from './access.ts'
import { answerTable } from './answer.ts'

export async function claims(context: Context, options: Asked & { readonly csv?: boolean }): Promise<void> {
  const { csv, ...query } = options
  const { reply, calibration } = await withLedger(context, async (ledger) => {
    const { since, until, source, project, session } = query
    return {
      reply: await ledger.claims(query),
      calibration: await ledger.calibration({ since, until, source, project, session }),
    }
  })
  const left = reply.total - reply.claims.length
  answerTable(
    context,
    { csv: csv === true },
    {
      rows: reply.claims,
      head: ['said', 'claim', 'kind', 'pointer', 'check', 'model'],
      cells,
      words: [0, 1, 2, 3, 4, 5],
      cut: { 1: 20, 3: 12, 4: 16, 5: 8 },
      drop: [5, 0],
      csvHead: CSV,
      csvCells,
      document: { ...reply, calibration: calibration.rows },
      empty: ['No claim fits', 'Claims are numbers with their evidence, such as: took 3.2 s [REAL: bash]'],
      foot: [
        ...(left > 0 ? [`${count(left)} more (--limit, --offset)`] : []),
        ...calibration.rows.map(({ model, says }) => `${plain(model, 40)} ${says}`),
      ],
    },
  )
}

const MARKS = { holds: '✓', fails: '✕', open: '·' } as const

const cells = (one: Claim): readonly string[] => [
  dateTime(one.ts),
  plain(one.value, 60),
  one.evidence_tier,
  plain(one.pointer, 40),
  `${MARKS[one.check.verdict]} ${plain(one.check.says, 60)}`,
  plain(one.model ?? '–', 30),
]

const CSV = [
  'kind',
  'value',
  'evidence_tier',
  'pointer',
  'ts',
  'session_id',
  'source',
  'agent_id',
  'project',
  'model',
  'check',
  'says',
  'quantity',
  'said',
  'took',
]

const csvCells = (one: Claim) => [
  'claim',
  one.value,
  one.evidence_tier,
  one.pointer,
  new Date(one.ts).toISOString(),
  one.session_id,
  one.source,
  one.agent_id,
  one.project,
  one.model,
  one.check.verdict,
  one.check.says,
  one.estimate?.quantity,
  one.estimate?.said,
  one.estimate?.took,
]

import type { Claim } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import type { QueryParams } from '../../json-requests.ts'
import { count } from '../../terminal/format.ts'
import { dateTime, plain, shortIds } from '../sessions/format.ts'
import { readRows, withLedger } from './access.ts'
import { printTable } from './format.ts'

export async function claims(
  context: Context,
  options: QueryParams & { readonly csv?: boolean },
): Promise<void> {
  const { csv, ...query } = options
  const { reply, calibration } = await withLedger(context, async (store) => {
    const { since, until, source, project, session } = query
    return {
      reply: await readRows(context.output, options, store.claims, ({ claims }) => claims),
      calibration: await store.calibration({ since, until, source, project, session }),
    }
  })
  const left = reply.total - reply.claims.length
  printTable(
    context,
    { csv: csv === true },
    {
      rows: reply.claims,
      head: ['said', 'session', 'claim', 'kind', 'pointer', 'check', 'model'],
      cells: cells(shortIds(reply.claims.map(({ session_id }) => session_id))),
      words: [0, 1, 2, 3, 4, 5, 6],
      cut: { 2: 20, 4: 12, 5: 16, 6: 8 },
      drop: [6, 0],
      csvHead: CSV,
      csvCells,
      document: { ...reply, calibration: calibration.rows },
      empty: [
        'No claim matches',
        'A claim is a number with its evidence, for example: took 3.2 s [REAL: bash]',
      ],
      foot: [
        ...(left > 0 ? [`${count(left)} more (--limit, --offset)`] : []),
        ...calibration.rows.map(({ model, says }) => `${plain(model, 40)} ${says}`),
      ],
    },
  )
}

const MARKS = { holds: '✓', fails: '✕', open: '·' } as const

/** An estimate that was far off is not false, so the factor replaces the mark. */
export function claimMark({
  check,
  evidence_tier,
  estimate,
}: Pick<Claim, 'check' | 'evidence_tier' | 'estimate'>): string {
  if (check.verdict !== 'fails' || evidence_tier !== 'ESTIMATE-HTC') return MARKS[check.verdict]
  const ratio = estimate?.took == null ? 0 : estimate.took / estimate.said
  return Number.isFinite(ratio) && ratio > 0 ? `off ×${ratio.toFixed(ratio < 0.1 ? 2 : 1)},` : 'off,'
}

const cells =
  (short: (id: string) => string) =>
  (one: Claim): readonly string[] => [
    dateTime(one.ts),
    plain(short(one.session_id), 40),
    plain(one.value.replace(/^[.,;:)]\s*/, ''), 60),
    one.evidence_tier,
    plain(one.pointer, 40),
    `${claimMark(one)} ${plain(one.check.says, 60)}`,
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

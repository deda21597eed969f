import type { DiffPiece, TurnDiff, TurnSlot } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { columns, count } from '../../terminal/format.ts'
import { dateTime, plain, printable } from '../sessions/format.ts'
import { withMoa } from './access.ts'
import { moneyText, shortId, timeText } from './format.ts'

/** Compares a turn with its replay. */
export async function diff(
  context: Context,
  turn: string,
  { with: other }: { readonly with?: string },
): Promise<void> {
  const found = await withMoa(context, 'read', (moa) => moa.diff(turn, other))
  const { bold } = context.output.paint
  const text = (title: string, pieces: readonly DiffPiece[] | null) => [
    '',
    bold(title),
    ...(pieces === null ? ['  not saved'] : formatPieces(context, pieces)),
  ]
  context.output.answer(
    [
      ...columns([
        ...SIDES.map((side) => [
          side,
          shortId(found[side].id),
          dateTime(found[side].started_at),
          plain(found.aggregator[side] ?? '–', 100),
          formatStatus(found[side].status, found.error[side]),
        ]),
      ]),
      '',
      bold('References'),
      ...found.references.flatMap((one) => [
        `  ${SIGNS[one.change]} ${plain(one.label, 100)}  ${slotTimes(one.before, one.after)}`,
        ...SIDES.flatMap((side) => errorLines(side, one[side]?.error ?? null, '      ')),
        ...(one.change === 'changed' && one.text ? formatPieces(context, one.text, '      ') : []),
      ]),
      ...text('Guidance', found.guidance),
      ...text('Answer', found.answer),
      ...SIDES.flatMap((side) => errorLines(side, found.error[side], '  ')),
      '',
      ...columns(formatTotals(found)),
    ],
    { ok: true, ...found },
  )
}

const SIGNS: Readonly<Record<TurnDiff['references'][number]['change'], string>> = {
  same: '=',
  changed: '~',
  removed: '-',
  added: '+',
  unanswered: '!',
  unknown: '?',
}

const SIDES = ['before', 'after'] as const

const formatStatus = (status: TurnDiff['before']['status'], error: TurnSlot['error']): string =>
  error === null || error.class === status ? status : `${status}: ${error.class}`

const errorLines = (side: (typeof SIDES)[number], error: TurnSlot['error'], indent: string): string[] =>
  error === null ? [] : [`${indent}${side}, ${error.class}: ${plain(error.message, 300)}`]

/** Formats changes like `git diff --word-diff`. */
function formatPieces({ output }: Context, pieces: readonly DiffPiece[], indent = '  '): readonly string[] {
  const { red, green } = output.paint
  if (pieces.length === 0) return [`${indent}both are empty`]
  if (pieces.every(({ type }) => type === 'same')) return [`${indent}the same`]
  const marked = pieces
    .map(({ type, text }) => {
      const clean = printable(text).join('\n')
      return type === 'same' ? shorten(clean) : type === 'added' ? green(`{+${clean}+}`) : red(`[-${clean}-]`)
    })
    .join('')
  return marked.split('\n').map((line) => `${indent}${line}`)
}

const LONG = 400

/** Shortens unchanged text to the parts next to a change. */
const shorten = (text: string): string =>
  text.length <= LONG ? text : `${text.slice(0, LONG / 2)} … ${text.slice(-LONG / 2)}`

const formatSlotTime = (slot: TurnSlot | null): string =>
  slot === null || slot.ended_at === null
    ? '–'
    : `${timeText(slot.ended_at - slot.started_at)}${slot.error ? ` ${slot.error.class}` : ''}`

const slotTimes = (before: TurnSlot | null, after: TurnSlot | null): string =>
  before === null
    ? formatSlotTime(after)
    : after === null
      ? 'left out'
      : `${formatSlotTime(before)} → ${formatSlotTime(after)}`

function formatTotals({
  tokens,
  cost_micro_usd: cost,
  cost_unknown: unknown,
  duration_ms: time,
}: TurnDiff): string[][] {
  const formatTokens = (key: 'input_tokens' | 'output_tokens' | 'cache_read_tokens') =>
    [tokens.before, tokens.after].map((usage) => (usage === null ? '–' : count(usage[key]))).join(' → ')
  return [
    ['tokens in', formatTokens('input_tokens')],
    ['from cache', formatTokens('cache_read_tokens')],
    ['tokens out', formatTokens('output_tokens')],
    ['money', `${moneyText(cost.before, unknown.before)} → ${moneyText(cost.after, unknown.after)}`],
    ['time', `${timeText(time.before)} → ${timeText(time.after)}`],
  ]
}

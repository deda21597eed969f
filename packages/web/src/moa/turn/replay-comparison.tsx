import type { DiffPiece, TurnDiff } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button, buttonClass, IconButton } from '../../design/button.tsx'
import { Strip } from '../../design/strip.tsx'
import { Tag } from '../../design/tag.tsx'
import * as f from '../../format.ts'
import { timeText } from '../../ledger/format.ts'
import { errorText } from '../../sessions/strips.tsx'
import { words } from '../../words.ts'
import { inputTokens, shortId, sumText } from '../format.ts'
import { diffQuery } from '../queries.ts'
import { TurnCard } from './card.tsx'
import { readablePieces } from './diff-pieces.ts'

const w = words.moa.compare

/** Compares a turn with its replay. */
export function ReplayComparison(props: {
  readonly turn: string
  readonly against: string
  readonly onClose: () => void
}) {
  const { turn, against } = props
  const { data, error, refetch } = useQuery(diffQuery(turn, against))
  return (
    <TurnCard
      title={w.title}
      about={data && `${shortId(data.before.id)} · ${shortId(data.after.id)}`}
      className="border-line-strong"
      end={
        <>
          <Link to="/moa" search={{ turn: against }} className={buttonClass('quiet')}>
            {w.openReplay}
          </Link>
          <IconButton icon="close" kind="quiet" label={w.close} onClick={props.onClose} />
        </>
      }
    >
      {error !== null && (
        <Strip
          alert
          glyph="failed"
          end={<Button onClick={() => void refetch()}>{words.actions.tryAgain}</Button>}
        >
          {w.failed} {errorText(error)}
        </Strip>
      )}
      {!data && error === null && <Strip>{w.wait}</Strip>}
      {data && <Both diff={data} />}
    </TurnCard>
  )
}

function Both({ diff }: { readonly diff: TurnDiff }) {
  return (
    <div className="grid gap-x-6 gap-y-3 p-3 roomy:grid-cols-[minmax(280px,360px)_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-3">
        <Figures diff={diff} />
        <div>
          <h3 className="pb-1 text-11 font-semibold text-text-3">{w.references}</h3>
          <ul className="flex flex-col gap-1 text-12">
            {diff.references.map((one, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a reference is identified by its position
              <Reference key={i} reference={one} />
            ))}
          </ul>
        </div>
      </div>
      <section aria-label={w.answer} className="min-w-0">
        <h3 className="flex flex-wrap gap-x-3 pb-1 text-11 text-text-3">
          <span className="font-semibold">{w.answer}</span>
          <span>
            <del className="text-failed">−</del> {w.removed}
          </span>
          <span>
            <ins className="text-done no-underline">+</ins> {w.added}
          </span>
        </h3>
        <Errors before={diff.error.before} after={diff.error.after} />
        {diff.answer === null ? (
          <p className="text-12 text-text-3">{w.noTexts}</p>
        ) : (
          <Pieces pieces={diff.answer} />
        )}
      </section>
    </div>
  )
}

/** Says why there is no answer on one side. */
function Errors(props: TurnDiff['error']) {
  return (['before', 'after'] as const).map((side) => {
    const error = props[side]
    return (
      error && (
        <p key={side} className="py-0.5 text-12 text-failed [overflow-wrap:anywhere]">
          {w.why(side, error.class, toVisibleLine(error.message, 300))}
        </p>
      )
    )
  })
}

function Reference({ reference }: { readonly reference: TurnDiff['references'][number] }) {
  const { label, change, text } = reference
  const [before, after] = [reference.before?.error ?? null, reference.after?.error ?? null]
  const isHalf = change === 'changed' && (before !== null || after !== null)
  const line = (
    <>
      <span className="min-w-0 flex-1 truncate" title={toVisibleLine(label, 200)}>
        {toVisibleLine(label, 60)}
      </span>
      <Tag>{isHalf ? w.oneAnswered : w.changes[change]}</Tag>
    </>
  )
  if (change !== 'changed' || text === null)
    return (
      <li>
        <div className="flex items-center gap-2">{line}</div>
        <Errors before={before} after={after} />
      </li>
    )
  return (
    <li>
      <details>
        <summary className="flex cursor-pointer items-center gap-2 touch:min-h-11">{line}</summary>
        <div className="py-1.5">
          <Pieces pieces={text} />
        </div>
      </details>
    </li>
  )
}

/** Removed and added words are struck through and underlined, so that color is not needed. */
function Pieces({ pieces }: { readonly pieces: readonly DiffPiece[] }) {
  if (pieces.length === 0) return <p className="text-12 text-text-3">{w.nothing}</p>
  if (pieces.every(({ type }) => type === 'same'))
    return (
      <>
        <p className="pb-1 text-12 text-text-3">{w.same}</p>
        <Pre pieces={pieces} />
      </>
    )
  return <Pre pieces={pieces} />
}

function Pre({ pieces }: { readonly pieces: readonly DiffPiece[] }) {
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="max-h-96 overflow-y-auto text-13 whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]"
    >
      {readablePieces(pieces).map(({ type, text }, i) => {
        const shown = toVisible(text)
        // biome-ignore-start lint/suspicious/noArrayIndexKey: a piece is identified by its position
        if (type === 'removed')
          return (
            <del key={i} className="rounded-tag bg-failed/15 px-0.5 text-text-2">
              {shown}
            </del>
          )
        if (type === 'added')
          return (
            <ins key={i} className="rounded-tag bg-done/15 px-0.5 decoration-done">
              {shown}
            </ins>
          )
        return <span key={i}>{shown}</span>
        // biome-ignore-end lint/suspicious/noArrayIndexKey: a piece is identified by its position
      })}
    </div>
  )
}

function Figures({ diff }: { readonly diff: TurnDiff }) {
  const { duration_ms: time, cost_micro_usd: cost, cost_unknown: lacks, tokens, aggregator } = diff
  const rows: readonly (readonly [name: string, before: string, after: string, difference: string])[] = [
    [
      w.aggregator,
      toVisibleLine(aggregator.before ?? words.unknown, 40),
      toVisibleLine(aggregator.after ?? words.unknown, 40),
      '',
    ],
    [
      w.state,
      w.status(diff.before.status, diff.error.before?.class),
      w.status(diff.after.status, diff.error.after?.class),
      '',
    ],
    [
      w.time,
      timeText(time.before),
      timeText(time.after),
      formatDifference(time.before, time.after, f.duration),
    ],
    [
      w.money,
      sumText(cost.before, lacks.before),
      sumText(cost.after, lacks.after),
      lacks.before + lacks.after > 0
        ? w.lacks(lacks.before + lacks.after)
        : formatDifference(cost.before, cost.after, (micro) => f.money(micro / 1_000_000)),
    ],
    [
      w.tokensIn,
      tokenText(tokens.before && inputTokens(tokens.before)),
      tokenText(tokens.after && inputTokens(tokens.after)),
      formatDifference(
        tokens.before && inputTokens(tokens.before),
        tokens.after && inputTokens(tokens.after),
        f.count,
      ),
    ],
    [
      w.tokensOut,
      tokenText(outputTokens(tokens.before)),
      tokenText(outputTokens(tokens.after)),
      formatDifference(outputTokens(tokens.before), outputTokens(tokens.after), f.count),
    ],
  ]
  const end = 'py-1 pl-3 text-right font-normal'
  return (
    <table className="w-full text-12">
      <caption className="sr-only">{w.figures}</caption>
      <thead>
        <tr className="border-b border-line text-11 text-text-3">
          <td />
          {[w.before, w.after, w.difference].map((name) => (
            <th key={name} scope="col" className={end}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...values]) => (
          <tr key={name} className="border-b border-line last:border-0">
            <th scope="row" className="py-1 text-left font-normal text-text-2">
              {name}
            </th>
            {values.map((value, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the values are identified by their position
              <td key={i} className={`${end} ${i === 2 ? 'text-text-3' : ''} [overflow-wrap:anywhere]`}>
                {value}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const outputTokens = (tokens: TurnDiff['tokens']['before']): number | null => tokens?.output_tokens ?? null

const tokenText = (value: number | null): string => (value === null ? words.unknown : f.count(value))

/** The difference to the original turn; a dash if one value is unknown. */
function formatDifference(
  before: number | null,
  after: number | null,
  text: (value: number) => string,
): string {
  if (before === null || after === null) return words.unknown
  const by = after - before
  return by === 0 ? '0' : `${by > 0 ? '+' : '−'}${text(Math.abs(by))}`
}

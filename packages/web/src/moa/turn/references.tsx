import type { MoaTurn, TraceRecord, TraceReference, TurnAnalysis, TurnSlot } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { Glyph } from '../../design/glyph.tsx'
import { ModelPips } from '../../design/model-pips.tsx'
import { timeText } from '../../ledger/format.ts'
import { shortModel } from '../../ledger/plot/models.ts'
import { words } from '../../words.ts'
import {
  costText,
  elapsedMs,
  errorGlyph,
  familyOfSlot,
  firstTokenMs,
  referenceLetter,
  tokensText,
} from '../format.ts'
import { groupByPlace } from '../preset-slots.ts'
import { Letter, TurnCard } from './card.tsx'
import { LongText, MarkedText } from './marked-text.tsx'
import { findContradictions, listReferenceMarks } from './shared-phrases.ts'

const w = words.moa
const SIDE_BY_SIDE = 4
const COLUMNS: Readonly<Record<number, string>> = {
  1: 'desk:grid-cols-1',
  2: 'desk:grid-cols-2',
  3: 'desk:grid-cols-3',
  4: 'desk:grid-cols-2 roomy:grid-cols-4',
}
/** A longer text scrolls inside its card. */
const LONG = 420
const LONGEST = 160

interface ReferencesProps {
  readonly turn: MoaTurn
  /** The recorded outputs, if text was recorded. */
  readonly record: TraceRecord | undefined
  readonly analysis: TurnAnalysis | null
}

/** The usage and output of each reference, side by side; beyond four they scroll sideways. */
export function References({ turn, record, analysis }: ReferencesProps) {
  const [whole, setWhole] = useState(false)
  const places = groupByPlace(turn.slots).references
  if (places.length === 0)
    return turn.status === 'running' ? null : <p className="px-1 text-12 text-text-3">{w.references.none}</p>
  const many = places.length > SIDE_BY_SIDE
  const traces = record?.references ?? []
  const isLong = traces.some(({ output }) => (output?.length ?? 0) > LONG)
  return (
    <section aria-label={w.references.label} className="min-w-0">
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
        tabIndex={0}
        className={classes(
          'grid gap-2.5 overflow-x-auto pb-1 max-desk:snap-x max-desk:auto-cols-[86%] max-desk:grid-flow-col',
          many ? 'desk:auto-cols-[272px] desk:grid-flow-col' : COLUMNS[places.length],
        )}
      >
        {places.map((calls, place) => (
          <Reference
            // biome-ignore lint/suspicious/noArrayIndexKey: a reference is identified by its position
            key={place}
            place={place}
            calls={calls}
            trace={traces[place]}
            analysis={analysis}
            whole={whole}
          />
        ))}
      </ul>
      {isLong && (
        <div className="flex justify-end">
          <Button kind="quiet" aria-pressed={whole} onClick={() => setWhole(!whole)}>
            {whole ? w.references.less : w.references.more}
          </Button>
        </div>
      )}
    </section>
  )
}

interface ReferenceProps {
  readonly place: number
  readonly calls: readonly TurnSlot[]
  readonly trace: TraceReference | undefined
  readonly analysis: TurnAnalysis | null
  readonly whole: boolean
}

function Reference({ place, calls, trace, analysis, whole }: ReferenceProps) {
  const slot = calls.at(-1)
  if (slot === undefined) return null
  const share = analysis?.drew_on[place]
  return (
    <li className="flex min-w-0 snap-start flex-col rounded-card border border-line bg-raised">
      <div className="flex items-center gap-2 px-3 pt-2.5 pb-2" title={toVisible(slot.label)}>
        <Letter place={place} />
        <ModelPips model={familyOfSlot(slot)} />
        <h3 className="min-w-0 flex-1 truncate text-13 font-semibold">{toVisible(shortModel(slot.model))}</h3>
        {slot.error !== null && (
          <span
            className={classes(
              'text-12',
              errorGlyph(slot.error) === 'failed' ? 'text-failed' : 'text-text-3',
            )}
          >
            {words.moa.errors[slot.error.class]}
          </span>
        )}
        <Glyph name={errorGlyph(slot.error)} />
      </div>
      <Figures slot={slot} />
      {calls.length > 1 && (
        <p className="border-b border-line px-3 py-1 text-11 text-text-3">
          {w.references.repeats(calls.length)}
        </p>
      )}
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className={classes(
          'flex-1 overflow-y-auto px-3 py-2 text-12 leading-[18px] outline-offset-[-2px]',
          trace !== undefined && 'min-h-24',
          !whole && 'max-h-40',
        )}
      >
        <Words slot={slot} trace={trace} place={place} analysis={analysis} />
      </div>
      <p className="border-t border-line px-3 py-1.5 text-11 text-text-3" title={w.references.drewHint}>
        {share === undefined || slot.error !== null
          ? w.references.drewUnknown
          : w.references.drew(words.ledger.percent(share))}
      </p>
    </li>
  )
}

function Figures({ slot }: { readonly slot: TurnSlot }) {
  const figures = [
    [timeText(elapsedMs(slot)), w.references.time],
    [timeText(firstTokenMs(slot)), w.references.first],
    [tokensText(slot.usage), w.references.tokens],
    [costText(slot.cost_micro_usd), w.references.money],
  ] as const
  return (
    <dl className="flex justify-between gap-2 border-b border-line px-3 pb-2">
      {figures.map(([value, name]) => (
        <div
          key={name}
          className="flex flex-col-reverse"
          title={name === w.references.tokens ? w.references.tokensHint : undefined}
        >
          <dt className="text-11 text-text-3">{name}</dt>
          <dd className="text-12 font-semibold whitespace-nowrap">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Words(props: {
  readonly slot: TurnSlot
  readonly trace: TraceReference | undefined
  readonly place: number
  readonly analysis: TurnAnalysis | null
}) {
  const { slot, trace, place, analysis } = props
  if (slot.error !== null) return <Failed slot={slot} trace={trace} />
  if (slot.ended_at === null) return <p className="text-text-3">{w.references.wait}</p>
  if (trace?.output == null)
    return (
      <p className="text-text-3">
        {slot.output_chars === null ? w.references.noText : w.references.characters(slot.output_chars)}
      </p>
    )
  if (trace.output === '') return <p className="text-text-3">{w.references.empty}</p>
  const against = analysis ? findContradictions(analysis.points, place) : []
  return (
    <>
      <div className="whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]">
        <MarkedText
          text={trace.output}
          marks={analysis ? listReferenceMarks(analysis.phrases, place) : []}
          references={Array.from({ length: place + 1 }, () => slot)}
        />
      </div>
      {against.length > 0 && (
        <p className="pt-2 text-11 text-stuck">{w.references.contradicts(against.map(referenceLetter))}</p>
      )}
    </>
  )
}

function Failed({ slot, trace }: { readonly slot: TurnSlot; readonly trace: TraceReference | undefined }) {
  const partial = typeof trace?.partial_output === 'string' ? trace.partial_output : ''
  return (
    <>
      <p
        className={classes(
          '[overflow-wrap:anywhere]',
          errorGlyph(slot.error) === 'failed' ? 'text-failed' : 'text-text-2',
        )}
      >
        {toVisible(slot.error?.message ?? '')}
      </p>
      {partial !== '' && (
        <>
          <p className="pt-2 text-11 text-text-3">{w.references.partial}</p>
          <LongText text={partial} />
        </>
      )}
    </>
  )
}

type Stance = TurnAnalysis['points'][number]['stances'][number]

/** The points on which references agree, disagree or say nothing. */
export function AgreementCard(props: {
  readonly analysis: TurnAnalysis | null
  readonly references: number
}) {
  const { analysis, references } = props
  const points = analysis?.points ?? []
  return (
    <TurnCard
      title={w.agree.title}
      about=""
      end={<span className="text-12 text-text-3">{analysis?.says}</span>}
    >
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="relative max-h-96 overflow-auto px-3 py-1 outline-offset-[-2px]"
      >
        {points.length === 0 ? (
          <p className="py-1.5 text-12 text-text-3">{analysis === null ? w.agree.unread : w.agree.none}</p>
        ) : (
          <>
            <table className="w-full text-12">
              <thead>
                <tr className="border-b border-line text-11 text-text-3">
                  <th scope="col" className="py-1.5 pr-2 text-left font-normal">
                    {w.agree.point}
                  </th>
                  {Array.from({ length: references }, (_, place) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a reference is identified by its position
                    <th key={place} scope="col" className="w-8 py-1.5 text-center">
                      <Letter place={place} />
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {points.map(({ text, stances }, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a point is identified by its position
                  <tr key={i} className="border-b border-line last:border-0">
                    <th
                      scope="row"
                      className="min-w-32 py-1.5 pr-2 text-left font-normal [overflow-wrap:anywhere]"
                    >
                      {toVisibleLine(text, LONGEST)}
                    </th>
                    {Array.from({ length: references }, (_, place) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: a reference is identified by its position
                      <td key={place} className="w-8 py-1.5">
                        <StanceMark stance={stances[place] ?? 'silent'} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
            <p aria-hidden="true" className="flex flex-wrap items-center gap-x-3 pt-2 text-11 text-text-3">
              <span className="flex items-center gap-1">
                <Glyph name="done" size={12} /> {w.agree.says}
              </span>
              <span className="flex items-center gap-1">
                <Glyph name="failed" size={12} /> {w.agree.opposes}
              </span>
              <span>· {w.agree.silent}</span>
            </p>
            <p className="py-1.5 text-11 text-text-3">{w.agree.note}</p>
          </>
        )}
      </div>
    </TurnCard>
  )
}

function StanceMark({ stance }: { readonly stance: Stance }) {
  return (
    <span className="flex justify-center">
      {stance === 'silent' ? (
        <span aria-hidden="true" className="text-text-3">
          ·
        </span>
      ) : (
        <Glyph name={stance === 'says' ? 'done' : 'failed'} size={14} />
      )}
      <span className="sr-only">{w.agree[stance]}</span>
    </span>
  )
}

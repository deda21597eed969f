import type { MoaTurn, TraceRecord, TraceReference, TurnAnalysis, TurnSlot } from '@panoptes/schema'
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/class.ts'
import { Glyph } from '../../design/glyph.tsx'
import { ModelPips } from '../../design/model-pips.tsx'
import { shortModel } from '../../ledger/plot/models.ts'
import { seen } from '../../sessions/plain.ts'
import { words } from '../../words.ts'
import {
  costText,
  errorGlyph,
  familyOfSlot,
  firstOf,
  letterOf,
  timeOf,
  timeText,
  tokensText,
} from '../figures.ts'
import { placesOf } from '../places.ts'
import { Letter } from './letter.tsx'
import { LongText } from './long-text.tsx'
import { MarkedText } from './marked-text.tsx'
import { contradictions, marksInReference } from './phrases.ts'

const w = words.moa.references
const SIDE_BY_SIDE = 4
const COLUMNS: Readonly<Record<number, string>> = {
  1: 'desk:grid-cols-1',
  2: 'desk:grid-cols-2',
  3: 'desk:grid-cols-3',
  4: 'desk:grid-cols-2 roomy:grid-cols-4',
}
/** Longer texts scroll in their card. */
const LONG = 420

interface ReferencesProps {
  readonly turn: MoaTurn
  /** What they said, where that was written down. */
  readonly record: TraceRecord | undefined
  readonly analysis: TurnAnalysis | null
}

/** What each reference took and said, side by side; beyond four they scroll sideways. */
export function References({ turn, record, analysis }: ReferencesProps) {
  const [whole, setWhole] = useState(false)
  const places = placesOf(turn.slots).references
  if (places.length === 0)
    return turn.status === 'running' ? null : <p className="px-1 text-12 text-text-3">{w.none}</p>
  const many = places.length > SIDE_BY_SIDE
  const said = record?.references ?? []
  const isLong = said.some(({ output }) => (output?.length ?? 0) > LONG)
  return (
    <section aria-label={w.label} className="min-w-0">
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached by key
        tabIndex={0}
        className={classes(
          'grid gap-2.5 overflow-x-auto pb-1 max-desk:snap-x max-desk:auto-cols-[86%] max-desk:grid-flow-col',
          many ? 'desk:auto-cols-[272px] desk:grid-flow-col' : COLUMNS[places.length],
        )}
      >
        {places.map((calls, place) => (
          <Reference
            // biome-ignore lint/suspicious/noArrayIndexKey: a reference is its place
            key={place}
            place={place}
            calls={calls}
            said={said[place]}
            analysis={analysis}
            whole={whole}
          />
        ))}
      </ul>
      {isLong && (
        <div className="flex justify-end">
          <Button kind="quiet" aria-pressed={whole} onClick={() => setWhole(!whole)}>
            {whole ? w.less : w.more}
          </Button>
        </div>
      )}
    </section>
  )
}

interface ReferenceProps {
  readonly place: number
  readonly calls: readonly TurnSlot[]
  readonly said: TraceReference | undefined
  readonly analysis: TurnAnalysis | null
  readonly whole: boolean
}

function Reference({ place, calls, said, analysis, whole }: ReferenceProps) {
  const slot = calls.at(-1)
  if (slot === undefined) return null
  const share = analysis?.drew_on[place]
  return (
    <li className="flex min-w-0 snap-start flex-col rounded-card border border-line bg-raised">
      <div className="flex items-center gap-2 px-3 pt-2.5 pb-2" title={seen(slot.label)}>
        <Letter place={place} />
        <ModelPips model={familyOfSlot(slot)} />
        <h3 className="min-w-0 flex-1 truncate text-13 font-semibold">{seen(shortModel(slot.model))}</h3>
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
        <p className="border-b border-line px-3 py-1 text-11 text-text-3">{w.asked(calls.length)}</p>
      )}
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className={classes(
          'flex-1 overflow-y-auto px-3 py-2 text-12 leading-[18px] outline-offset-[-2px]',
          said !== undefined && 'min-h-24',
          !whole && 'max-h-40',
        )}
      >
        <Words slot={slot} said={said} place={place} analysis={analysis} />
      </div>
      <p className="border-t border-line px-3 py-1.5 text-11 text-text-3" title={w.drewHint}>
        {share === undefined || slot.error !== null ? w.drewUnknown : w.drew(words.ledger.percent(share))}
      </p>
    </li>
  )
}

function Figures({ slot }: { readonly slot: TurnSlot }) {
  const figures = [
    [timeText(timeOf(slot)), w.time],
    [timeText(firstOf(slot)), w.first],
    [tokensText(slot.usage), w.tokens],
    [costText(slot.cost_micro_usd), w.money],
  ] as const
  return (
    <dl className="flex justify-between gap-2 border-b border-line px-3 pb-2">
      {figures.map(([value, name]) => (
        <div
          key={name}
          className="flex flex-col-reverse"
          title={name === w.tokens ? w.tokensHint : undefined}
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
  readonly said: TraceReference | undefined
  readonly place: number
  readonly analysis: TurnAnalysis | null
}) {
  const { slot, said, place, analysis } = props
  if (slot.error !== null) return <Failed slot={slot} said={said} />
  if (slot.ended_at === null) return <p className="text-text-3">{w.wait}</p>
  if (said?.output == null)
    return (
      <p className="text-text-3">{slot.output_chars === null ? w.noText : w.characters(slot.output_chars)}</p>
    )
  if (said.output === '') return <p className="text-text-3">{w.empty}</p>
  const against = analysis ? contradictions(analysis.points, place) : []
  return (
    <>
      <div className="whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]">
        <MarkedText
          text={said.output}
          marks={analysis ? marksInReference(analysis.phrases, place) : []}
          references={Array.from({ length: place + 1 }, () => slot)}
        />
      </div>
      {against.length > 0 && (
        <p className="pt-2 text-11 text-stuck">{w.contradicts(against.map(letterOf))}</p>
      )}
    </>
  )
}

function Failed({ slot, said }: { readonly slot: TurnSlot; readonly said: TraceReference | undefined }) {
  const partial = typeof said?.partial_output === 'string' ? said.partial_output : ''
  return (
    <>
      <p
        className={classes(
          '[overflow-wrap:anywhere]',
          errorGlyph(slot.error) === 'failed' ? 'text-failed' : 'text-text-2',
        )}
      >
        {seen(slot.error?.message ?? '')}
      </p>
      {partial !== '' && (
        <>
          <p className="pt-2 text-11 text-text-3">{w.partial}</p>
          <LongText text={partial} />
        </>
      )}
    </>
  )
}

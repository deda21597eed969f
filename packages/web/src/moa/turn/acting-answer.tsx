import type { MoaTurn, TraceRecord, TurnAnalysis } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { Glyph } from '../../design/glyph.tsx'
import { ModelPips } from '../../design/model-pips.tsx'
import { timeText } from '../../ledger/format.ts'
import { shortModel } from '../../ledger/plot/models.ts'
import { words } from '../../words.ts'
import { costText, elapsedMs, errorGlyph, shortTokens } from '../format.ts'
import { groupByPlace } from '../preset-slots.ts'
import { TurnCard } from './card.tsx'
import { LongText, MarkedText } from './marked-text.tsx'
import { parseToolCall } from './messages.ts'
import { listAnswerMarks } from './shared-phrases.ts'

const w = words.moa.answer
const LINE = 90

/** The answer of one aggregator call, with the phrases it shares with references. */
export function ActingAnswer(props: {
  readonly turn: MoaTurn
  readonly record: TraceRecord | undefined
  /** The analysis of the final answer. */
  readonly analysis: TurnAnalysis | null
  /** The number of the aggregator call, from 1; the last one if nothing was recorded. */
  readonly iteration: number | null
}) {
  const { turn, record, analysis, iteration } = props
  const { references, aggregator } = groupByPlace(turn.slots)
  const slot = aggregator.find((one) => one.iteration === iteration) ?? aggregator.at(-1)
  const about =
    slot === undefined
      ? ''
      : [
          toVisibleLine(shortModel(slot.model), 40),
          timeText(elapsedMs(slot)),
          ...(slot.usage === null ? [] : [w.out(shortTokens(slot.usage.output_tokens))]),
          costText(slot.cost_micro_usd),
        ].join(' · ')
  return (
    <TurnCard
      title={w.title}
      lead={<ModelPips model="main" size={15} />}
      about={about}
      end={slot && <Glyph name={errorGlyph(slot.error)} />}
    >
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="max-h-96 overflow-y-auto px-3 py-2.5 outline-offset-[-2px]"
      >
        {slot?.error != null && (
          <p className="pb-2 text-12 text-failed [overflow-wrap:anywhere]">
            {words.moa.errors[slot.error.class]}: {toVisible(slot.error.message)}
          </p>
        )}
        <Answer
          record={record}
          analysis={analysis}
          named={references.flatMap((calls) => calls.at(-1) ?? [])}
          chars={slot?.output_chars ?? null}
          failed={slot?.error != null}
        />
        <Calls calls={record?.aggregator.tool_calls ?? []} />
      </div>
    </TurnCard>
  )
}

function Answer(props: {
  readonly record: TraceRecord | undefined
  readonly analysis: TurnAnalysis | null
  readonly named: readonly { readonly label: string; readonly model: string }[]
  readonly chars: number | null
  readonly failed: boolean
}) {
  const { record, analysis, chars } = props
  const output = record?.aggregator.output ?? null
  if (output === null) {
    if (props.failed) return null
    return (
      <p className="text-12 text-text-3">
        {chars === null || record !== undefined ? w.none : words.moa.references.characters(chars)}
      </p>
    )
  }
  if (output === '') return <p className="text-12 text-text-3">{w.empty}</p>
  if (analysis === null) return <LongText text={output} />
  const marks = listAnswerMarks(analysis.phrases)
  return (
    <>
      <div className="whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]">
        <MarkedText text={output} marks={marks} references={props.named} />
      </div>
      <p className="pt-2 text-11 text-text-3">
        {marks.length > 0 ? words.moa.marks.note : words.moa.marks.none}
      </p>
    </>
  )
}

function Calls({ calls }: { readonly calls: readonly unknown[] }) {
  if (calls.length === 0) return null
  return (
    <section aria-label={w.calls(calls.length)} className="pt-2">
      <h3 className="pb-1 text-11 text-text-3">{w.calls(calls.length)}</h3>
      <ul className="flex flex-col gap-1">
        {calls.map((call, i) => {
          const { name, input } = parseToolCall(call)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a call is identified by its position
            <li key={i} className="rounded-control border border-line bg-surface">
              <details>
                <summary className="flex min-h-7 items-center gap-2 px-2.5 text-12 touch:min-h-11">
                  <b className="font-semibold whitespace-nowrap">{toVisibleLine(name, LINE)}</b>
                  <span className="min-w-0 flex-1 truncate font-mono text-11 text-text-2">
                    {input === '' ? w.noInput : toVisibleLine(input, LINE)}
                  </span>
                </summary>
                <div className="border-t border-line px-2.5 py-1.5 font-mono text-11">
                  <LongText text={input} />
                </div>
              </details>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

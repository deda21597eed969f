import type { MoaTurn, SlotStats } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { classes } from '../../design/class-names.ts'
import { ModelPips } from '../../design/model-pips.tsx'
import { Block, LedgerCard, None } from '../../ledger/block.tsx'
import { timeText } from '../../ledger/format.ts'
import { shortModel } from '../../ledger/plot/models.ts'
import { useSize } from '../../ledger/use-size.ts'
import { modelFamily } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { costText, elapsedMs, familyColor, modelIn } from '../format.ts'
import { groupByPlace } from '../preset-slots.ts'
import { LAST_TURNS, slotsQuery } from '../queries.ts'
import { Letter } from './card.tsx'
import { buildSpark } from './sparkline-points.ts'

const w = words.moa.slots
const HEIGHT = 26

/** Statistics of each slot over the last turns: time, failures and cost. */
export function SlotsCard({ preset, turn }: { readonly preset: string; readonly turn?: MoaTurn }) {
  const query = useQuery(slotsQuery(preset))
  const places = turn ? groupByPlace(turn.slots) : null
  return (
    <LedgerCard>
      <Block
        title={w.title(LAST_TURNS, toVisibleLine(preset, 60))}
        query={query}
        end={<span className="text-12 text-text-3">{turn ? w.about : w.aboutAll}</span>}
      >
        {(slots) =>
          slots.length === 0 ? (
            <None>{w.none}</None>
          ) : (
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(200px,1fr))] gap-x-6 gap-y-3">
              {slots.map((slot) => {
                const place =
                  places?.references.findIndex((calls) => calls.at(-1)?.label === slot.label) ?? -1
                const call =
                  slot.role === 'aggregator' ? places?.aggregator.at(-1) : places?.references[place]?.at(-1)
                return (
                  <Slot
                    key={`${slot.role} ${slot.label}`}
                    slot={slot}
                    place={place}
                    marked={call && call.error === null ? elapsedMs(call) : null}
                  />
                )
              })}
            </ul>
          )
        }
      </Block>
    </LedgerCard>
  )
}

function Slot(props: { readonly slot: SlotStats; readonly place: number; readonly marked: number | null }) {
  const { slot, place } = props
  const acts = slot.role === 'aggregator'
  const name = toVisibleLine(shortModel(modelIn(slot.label)), 40)
  const [p50, p95] = [timeText(slot.p50_ms), timeText(slot.p95_ms)]
  const money = costText(slot.cost_micro_usd)
  const failed = w.failed(slot.failed, slot.stopped)
  return (
    <li className="min-w-0">
      <div className="flex items-center gap-2 text-12" title={toVisible(slot.label)}>
        {acts ? <ModelPips model="main" /> : place >= 0 && <Letter place={place} />}
        <span className="min-w-0 flex-1 truncate">{acts ? words.moa.bars.aggregator : name}</span>
        <span
          className={classes('text-11 whitespace-nowrap', slot.failed > 0 ? 'text-failed' : 'text-text-3')}
        >
          {slot.failed > 0 && '✕ '}
          {failed}
        </span>
      </div>
      <SparkLine
        values={slot.times_ms}
        marked={props.marked}
        color={acts ? 'var(--gold-text)' : familyColor(modelFamily(modelIn(slot.label)))}
        label={w.latencyLabel(slot.label, p50, p95, failed, slot.calls, money)}
      />
      <div className="flex gap-3 text-11 text-text-3">
        <span>
          {w.p50} <b className="font-semibold text-text">{p50}</b>
        </span>
        <span>
          {w.p95} <b className="font-semibold text-text">{p95}</b>
        </span>
        <b className="ml-auto font-semibold text-text" title={w.perCall}>
          {money}
        </b>
      </div>
    </li>
  )
}

function SparkLine(props: {
  readonly values: readonly (number | null)[]
  readonly marked: number | null
  readonly color: string
  readonly label: string
}) {
  const [size, ref] = useSize()
  const width = size?.width ?? null
  const spark =
    width === null ? null : buildSpark(props.values, { width, height: HEIGHT, pad: 4 }, props.marked)
  return (
    <div ref={ref} className="h-6.5">
      {spark !== null && width !== null && (
        <svg width={width} height={HEIGHT} role="img" aria-label={props.label}>
          <path d={spark.line} fill="none" stroke={props.color} strokeWidth="1.3" strokeLinejoin="round" />
          {spark.gaps.map((x) => (
            <path
              key={x}
              d={`M${x - 2} ${HEIGHT - 7}l4 4m0-4l-4 4`}
              fill="none"
              stroke="var(--failed)"
              strokeWidth="1.2"
            />
          ))}
          {spark.mark && <circle cx={spark.mark.x} cy={spark.mark.y} r="3" fill={props.color} />}
        </svg>
      )}
    </div>
  )
}

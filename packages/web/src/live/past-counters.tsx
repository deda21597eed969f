import * as f from '../format.ts'
import { words } from '../words.ts'
import type { Scene } from './data/source.ts'
import { countCalls } from './model/agent-activity.ts'
import { countStates } from './model/filter.ts'

const w = words.live.counters

/** A value of null is unknown and is shown as a dash. */
export type Figure = readonly [value: number | null, label: string, gold?: boolean]

/** Counts for a past moment: agents alive or just ended, and their tool calls. */
export function PastCounters({ scene, at }: { readonly scene: Scene; readonly at: number }) {
  const counts = countStates(scene.agents)
  const calls = scene.agents.reduce((sum, agent) => sum + countCalls(agent), 0)
  const figures: readonly Figure[] = [
    [counts.alive, w.alive, true],
    [counts.working, w.working],
    [counts.waiting, w.waiting],
    [counts.stuck, w.stuck],
    [scene.agents.length - counts.alive, w.justEnded],
    [calls, w.callsOfThese(calls, scene.agents.length)],
  ]
  return <CounterLine figures={figures} end={w.atTime(f.clock(at))} />
}

export function CounterLine({
  figures,
  allTime = [],
  end,
}: {
  readonly figures: readonly Figure[]
  /** Totals since the store began, labelled as such. */
  readonly allTime?: readonly Figure[]
  readonly end: string
}) {
  const renderFigure = ([value, label, gold]: Figure) => (
    <div key={label} className="flex flex-row-reverse gap-1">
      <dt>{label}</dt>
      <dd className={gold ? 'font-semibold text-gold-text' : 'font-semibold text-text'}>
        {value === null ? words.unknown : f.count(value)}
      </dd>
    </div>
  )
  return (
    <div className="flex h-8 shrink-0 items-center gap-4 overflow-x-auto px-4 text-12 whitespace-nowrap text-text-2 max-desk:hidden">
      <dl aria-label={w.label} className="flex items-center gap-4">
        {figures.map(renderFigure)}
      </dl>
      {allTime.length > 0 && (
        <>
          <span aria-hidden="true" className="text-text-3">
            {w.sinceEver}
          </span>
          <dl aria-label={w.allTime} className="flex items-center gap-4">
            {allTime.map(renderFigure)}
          </dl>
        </>
      )}
      <span className="flex-1" />
      <span className="text-text-3">{end}</span>
    </div>
  )
}

import * as f from '../format.ts'
import { words } from '../words.ts'
import type { Scene } from './data/scene.ts'
import { callsOf } from './model/doing.ts'
import { countStates } from './model/filter.ts'

const w = words.live.counters

export type Figure = readonly [value: number, label: string, gold?: boolean]

/** What is known of a past moment: who was alive then or had just ended, and what those had called. */
export function PastCounters({ scene, at }: { readonly scene: Scene; readonly at: number }) {
  const counts = countStates(scene.agents)
  const figures: readonly Figure[] = [
    [counts.alive, w.alive, true],
    [counts.working, w.working],
    [counts.waiting, w.waiting],
    [counts.stuck, w.stuck],
    [scene.agents.length - counts.alive, w.justEnded],
    [scene.agents.reduce((sum, agent) => sum + callsOf(agent), 0), w.callsOfThese(scene.agents.length)],
  ]
  return <CounterLine figures={figures} end={w.asOf(f.clock(at))} />
}

export function CounterLine({ figures, end }: { readonly figures: readonly Figure[]; readonly end: string }) {
  return (
    <div className="flex h-8 shrink-0 items-center gap-4 overflow-x-auto px-4 text-12 whitespace-nowrap text-text-2 max-desk:hidden">
      <dl aria-label={w.label} className="flex items-center gap-4">
        {figures.map(([value, label, gold]) => (
          <div key={label} className="flex flex-row-reverse gap-1">
            <dt>{label}</dt>
            <dd className={gold ? 'font-semibold text-gold-text' : 'font-semibold text-text'}>
              {f.count(value)}
            </dd>
          </div>
        ))}
      </dl>
      <span className="flex-1" />
      <span className="text-text-3">{end}</span>
    </div>
  )
}

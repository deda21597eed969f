import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../api/queries.ts'
import * as f from '../format.ts'
import { useNow } from '../shell/use-now.ts'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import type { Scene } from './data/scene.ts'
import { countStates } from './model/filter.ts'
import { CounterLine, type Figure, PastCounters } from './past-counters.tsx'

const w = words.live.counters

/** Totals under the graph: over everything, or of those whom a past moment shows. */
export function Counters({ scene }: { readonly scene: Scene }) {
  return scene.at === null ? <LiveCounters scene={scene} /> : <PastCounters scene={scene} at={scene.at} />
}

function LiveCounters({ scene }: { readonly scene: Scene }) {
  const { latest } = useStore(pageTail.state)
  const status = useQuery({ ...statusQuery, refetchInterval: 2_000 }).data
  const now = useNow()
  const { alive } = countStates(scene.agents)
  const totals = status?.counters
  const figures: readonly Figure[] = [
    [alive, w.alive, true],
    ...(totals
      ? ([
          [totals.agents_spawned, w.spawned],
          [totals.tool_calls, w.calls],
          [totals.agents_done, w.done],
          [totals.agents_failed, w.failed],
        ] as const)
      : []),
  ]
  const last = status?.storage.last_ts ?? null
  const age = last === null ? null : Math.max(0, now - last)
  const seq = latest ?? status?.storage.last_seq ?? 0
  const said =
    age === null
      ? w.none
      : `${age < 1_500 ? w.lastJustNow : w.lastEvent(f.age(age) ?? f.duration(age))} · ${w.seq(seq)}`
  return <CounterLine figures={figures} end={said} />
}

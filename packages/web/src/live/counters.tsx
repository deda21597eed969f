import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../api/queries.ts'
import * as f from '../format.ts'
import { useNow } from '../shell/use-now.ts'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { pageAgents } from './data/page-agents.ts'
import type { Scene } from './data/source.ts'
import { countStates } from './model/filter.ts'
import { CounterLine, type Figure, PastCounters } from './past-counters.tsx'

const w = words.live.counters

/** Totals under the graph: overall, or for the agents of a past moment. */
export function Counters({ scene }: { readonly scene: Scene }) {
  return scene.at === null ? <LiveCounters scene={scene} /> : <PastCounters scene={scene} at={scene.at} />
}

function LiveCounters({ scene }: { readonly scene: Scene }) {
  const { latest } = useStore(pageTail.state)
  const { phase } = useStore(pageAgents)
  const status = useQuery({ ...statusQuery, refetchInterval: 2_000 }).data
  const now = useNow()
  const alive = phase === 'ready' ? countStates(scene.agents).alive : null
  const totals = status?.counters
  const figures: readonly Figure[] = [[alive, w.alive, true]]
  const allTime: readonly Figure[] = totals
    ? [
        [totals.agents_spawned, w.spawned(totals.agents_spawned)],
        [totals.agents_done, w.done],
        [totals.agents_failed, w.failed],
        ...(totals.agents_stopped > 0 ? [[totals.agents_stopped, w.stopped] as const] : []),
        [totals.tool_calls, w.calls(totals.tool_calls)],
      ]
    : []
  const seq = latest ?? status?.storage.last_seq ?? 0
  const end = status === undefined ? '' : lastEventText(status.storage.last_ts, now, seq)
  return <CounterLine figures={figures} allTime={allTime} end={end} />
}

function lastEventText(last: number | null, now: number, seq: number): string {
  if (last === null) return w.none
  const age = Math.max(0, now - last)
  return `${age < 1_500 ? w.lastJustNow : w.lastEvent(f.age(age) ?? f.duration(age))} · ${w.seq(seq)}`
}

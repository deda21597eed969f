import { useEffect, useMemo, useState } from 'react'
import { words } from '../words.ts'
import type { Scene } from './data/source.ts'
import { buildGraph } from './model/build-graph.ts'
import type { LiveFilter } from './model/filter.ts'
import type { Graph } from './model/graph.ts'
import { nextHideTime } from './model/visibility.ts'

/** The graph of a scene, rebuilt when an ended agent disappears. */
export function useGraph(
  scene: Scene,
  filter: LiveFilter,
  selected: string | null,
  open: ReadonlySet<string>,
): Graph {
  const [turn, setTurn] = useState(0)
  const { state, source, project, host, model, session } = filter
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn is a moment at which an agent disappears
  const graph = useMemo(
    () =>
      buildGraph(scene, {
        now: Date.now(),
        filter: { state, source, project, host, model, session },
        selected,
        open,
        say: words.live.agentCount,
      }),
    [scene, state, source, project, host, model, session, selected, open, turn],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a turn, another agent may be about to disappear
  useEffect(() => {
    if (scene.at !== null) return
    const now = Date.now()
    const next = nextHideTime(scene.agents, now)
    if (next === null) return
    const timer = setTimeout(() => setTurn((before) => before + 1), next - now + 20)
    return () => clearTimeout(timer)
  }, [scene, turn])
  return graph
}

import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { classes } from '../design/class.ts'
import { themeShown } from '../shell/theme.ts'
import { useMedia } from '../shell/use-media.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { inView } from './alerts/in-view.ts'
import { refOf } from './data/key.ts'
import type { Scene } from './data/scene.ts'
import type { PastSource } from './data/source.ts'
import { labelNote } from './draw/notes.ts'
import { type GraphHandle, GraphView } from './graph/graph-view.tsx'
import { Pager } from './graph/pager.tsx'
import { pulsesBetween } from './graph/pulses.ts'
import type { LayoutRunner } from './layout/runner.ts'
import type { LiveFilter } from './model/filter.ts'
import type { Graph } from './model/graph.ts'
import { nightGraph } from './night.ts'
import { AgentPanel } from './panel/agent-panel.tsx'
import { AgentTable } from './table/agent-table.tsx'
import { useOneSession } from './use-one-session.ts'

const PANEL = 344

export interface ExplorerProps {
  readonly scene: Scene
  readonly graph: Graph
  readonly source: PastSource
  readonly filter: LiveFilter
  readonly view: 'graph' | 'table'
  readonly selected: string | null
  readonly onSelect: (key: string | null) => void
  readonly onOpenGroup: (key: string) => void
  readonly runner: () => LayoutRunner
  readonly stale: boolean
  readonly handle: RefObject<GraphHandle | null>
  /** What lies over the graph: the badge of a replay, or why it is empty. */
  readonly over: ReactNode
  /** What stands under it: the scrubber and the counters. */
  readonly under: ReactNode
}

/** Graph or table with the panel beside it. Live and a recording look the same. */
export function Explorer(props: ExplorerProps) {
  const { scene, graph, selected, view } = props
  const night = useStore(nightGraph)
  const theme = useStore(themeShown)
  const slim = useMedia('(760px <= width < 1281px)')
  const narrow = useMedia('(width < 760px)')
  const one = useOneSession(graph, selected, narrow)
  const [openAt] = useState(() => Date.now())
  usePastPulses(scene, props.handle)
  useInView(view === 'graph' ? (one?.graph ?? graph) : graph, scene.at === null)
  const said = useSaid(graph, selected, scene.at ?? openAt)
  const clock = useRef(() => Date.now())
  clock.current = () => scene.at ?? Date.now()
  const known = selected !== null && refOf(selected) !== null
  return (
    <div className="relative flex min-h-0 flex-1">
      <div className={classes('flex min-w-0 flex-1 flex-col', narrow && known && 'pb-[50dvh]')}>
        {view === 'graph' ? (
          <div className={classes('graph-paper relative min-h-0 flex-1', night && 'night text-text')}>
            <GraphView
              graph={one?.graph ?? graph}
              selected={selected}
              said={said}
              onSelect={props.onSelect}
              onOpenGroup={props.onOpenGroup}
              onSwipe={one && one.of > 1 ? one.turn : null}
              runner={props.runner}
              clock={() => clock.current()}
              inset={slim && known ? PANEL : 0}
              stale={props.stale}
              theme={`${theme}${night}`}
              handle={props.handle}
            />
            {one && <Pager index={one.index} of={one.of} onTurn={one.turn} />}
            {props.over}
          </div>
        ) : (
          <AgentTable scene={scene} filter={props.filter} selected={selected} onSelect={props.onSelect} />
        )}
        {!(narrow && known) && (
          <div className={classes('shrink-0', slim && known && 'pr-86')}>{props.under}</div>
        )}
      </div>
      {known && (
        <AgentPanel
          key={selected}
          agentKey={selected}
          scene={scene}
          source={props.source}
          onClose={() => props.onSelect(null)}
        />
      )}
    </div>
  )
}

function useSaid(graph: Graph, selected: string | null, now: number): string {
  return useMemo(() => {
    if (selected === null) return ''
    for (const session of graph.sessions) {
      const node = session.nodes.find((one) => one.key === selected)
      if (!node) continue
      const note = node.agent ? labelNote(node.agent, now) : null
      return words.live.chosen(`${session.title} › ${node.name}`, note ?? words.live.states[node.state])
    }
    return ''
  }, [graph, selected, now])
}

/** What is in view needs no notification. */
function useInView(graph: Graph, live: boolean) {
  useEffect(() => {
    inView.set(live ? new Set(graph.sessions.flatMap((one) => one.nodes.map((node) => node.key))) : new Set())
    return () => inView.set(new Set())
  }, [graph, live])
}

/** While time is played back, whoever called a tool between two frames pulses. */
function usePastPulses(scene: Scene, handle: RefObject<GraphHandle | null>) {
  const before = useRef<Scene | null>(null)
  useEffect(() => {
    const last = before.current
    before.current = scene
    if (scene.at === null || last?.at === null || last === null || last.at === undefined) return
    const passed = scene.at - last.at
    if (passed > 0 && passed < 60_000)
      handle.current?.pulse(pulsesBetween(last.agents, scene.agents).slice(0, 40))
  }, [scene, handle])
}

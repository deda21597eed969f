import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { IconButton } from '../design/button.tsx'
import { classes } from '../design/class-names.ts'
import { themeShown } from '../shell/theme.ts'
import { useMedia } from '../shell/use-media.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { visibleAgents } from './alerts/visible-agents.ts'
import { nightGraph } from './dark-graph.ts'
import { parseAgentKey } from './data/agent-key.ts'
import type { PastSource, Scene } from './data/source.ts'
import { labelNotes } from './draw/notes.ts'
import { type GraphHandle, GraphView } from './graph/graph-view.tsx'
import { pulsesBetween } from './graph/pulses.ts'
import type { LayoutRunner } from './layout/runner.ts'
import type { LiveFilter } from './model/filter.ts'
import type { Graph } from './model/graph.ts'
import { type SelectedSession, selectSession } from './model/graph.ts'
import { AgentPanel } from './panel/agent-panel.tsx'
import { AgentTable } from './table/agent-table.tsx'

const PANEL = 344
const w = words.live
/** More dots than this are not countable. */
const MOST_DOTS = 7

export interface ExplorerProps {
  readonly scene: Scene
  readonly graph: Graph
  /** The label of the graph while it is unknown how many agents there are. */
  readonly unloadedLabel?: string | undefined
  readonly source: PastSource
  readonly filter: LiveFilter
  readonly view: 'graph' | 'table'
  readonly selected: string | null
  readonly onSelect: (key: string | null) => void
  readonly onOpenGroup: (key: string) => void
  readonly runner: () => LayoutRunner
  readonly stale: boolean
  readonly handle: RefObject<GraphHandle | null>
  /** Shown over the graph: the replay badge, or why the graph is empty. */
  readonly over: ReactNode
  /** Shown under it: the scrubber and the counters. */
  readonly under: ReactNode
}

/** The graph or table with the panel beside it, the same for Live and recordings. */
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
  const selectionText = useSelectionText(graph, selected, scene.at ?? openAt)
  const clock = useRef(() => Date.now())
  clock.current = () => scene.at ?? Date.now()
  const isAgent = selected !== null && parseAgentKey(selected) !== null
  return (
    <div className="relative flex min-h-0 flex-1">
      <div className={classes('flex min-w-0 flex-1 flex-col', narrow && isAgent && 'pb-[50dvh]')}>
        {view === 'graph' ? (
          <div className={classes('graph-paper relative min-h-0 flex-1', night && 'night text-text')}>
            <GraphView
              graph={one?.graph ?? graph}
              unloadedLabel={props.unloadedLabel}
              selected={selected}
              selectionText={selectionText}
              onSelect={props.onSelect}
              onOpenGroup={props.onOpenGroup}
              onSwipe={one && one.of > 1 ? one.turn : null}
              runner={props.runner}
              clock={() => clock.current()}
              inset={slim && isAgent ? PANEL : 0}
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
        {!(narrow && isAgent) && (
          <div className={classes('shrink-0', slim && isAgent && 'pr-86')}>{props.under}</div>
        )}
      </div>
      {isAgent && (
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

function useSelectionText(graph: Graph, selected: string | null, now: number): string {
  return useMemo(() => {
    if (selected === null) return ''
    for (const session of graph.sessions) {
      const node = session.nodes.find((one) => one.key === selected)
      if (!node) continue
      const notes = node.agent ? labelNotes(node.agent, now) : []
      const detail = notes.length === 0 ? words.live.states[node.state] : notes.join(' · ')
      return words.live.chosen(`${session.title} › ${node.name}`, detail)
    }
    return ''
  }, [graph, selected, now])
}

/** Visible agents need no notification. */
function useInView(graph: Graph, live: boolean) {
  useEffect(() => {
    visibleAgents.set(
      live ? new Set(graph.sessions.flatMap((one) => one.nodes.map((node) => node.key))) : new Set(),
    )
    return () => visibleAgents.set(new Set())
  }, [graph, live])
}

/** During playback, agents pulse that called a tool between two frames. */
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

/** On a phone one session is shown at a time, and a swipe moves on. Null if there is room for all. */
function useOneSession(
  graph: Graph,
  selected: string | null,
  narrow: boolean,
): (SelectedSession & { readonly turn: (by: 1 | -1) => void }) | null {
  const [chosen, setChosen] = useState<string | null>(null)
  const { sessions } = graph
  const home = sessions.find((one) => one.nodes.some((node) => node.key === selected))?.key ?? null
  useEffect(() => {
    if (home !== null) setChosen(home)
  }, [home])
  const one = useMemo(
    () => (narrow ? selectSession(graph, chosen, words.live.swipe) : null),
    [graph, chosen, narrow],
  )
  if (one === null) return null
  const turn = (by: 1 | -1) =>
    setChosen(sessions[(one.index + by + sessions.length) % sessions.length]?.key ?? null)
  return { ...one, turn }
}

/** Shows which session is visible and moves to the others. */
function Pager(props: {
  readonly index: number
  readonly of: number
  readonly onTurn: (by: 1 | -1) => void
}) {
  const { index, of, onTurn } = props
  if (of < 2) return null
  return (
    <nav
      aria-label={w.pager}
      className="absolute inset-x-0 bottom-0 z-10 flex items-center justify-between px-1"
    >
      <IconButton icon="left" kind="quiet" label={w.previousSession} onClick={() => onTurn(-1)} />
      <span role="status" className="flex items-center gap-1.5 text-11 text-text-3">
        <span className={of > MOST_DOTS ? '' : 'sr-only'}>{w.sessionPosition(index + 1, of)}</span>
        {of <= MOST_DOTS &&
          Array.from({ length: of }, (_, at) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a dot is identified by its position
              key={at}
              className={classes('h-1.5 rounded-tag', at === index ? 'w-4 bg-gold' : 'w-1.5 bg-line-strong')}
            />
          ))}
      </span>
      <IconButton icon="right" kind="quiet" label={w.nextSession} onClick={() => onTurn(1)} />
    </nav>
  )
}

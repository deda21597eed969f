import { type RefObject, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import { Button, IconButton } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { useMedia } from '../../shell/use-media.ts'
import { words } from '../../words.ts'
import { zoomAt } from '../draw/camera.ts'
import { createStage, type Stage } from '../draw/stage.ts'
import type { LayoutSession, Placement } from '../layout/layout.ts'
import type { LayoutRunner } from '../layout/runner.ts'
import type { Graph } from '../model/graph.ts'
import type { Pulse } from './pulses.ts'
import { useGestures } from './use-gestures.ts'

const w = words.live

export interface GraphHandle {
  readonly fit: () => void
  readonly pulse: (pulses: readonly Pulse[]) => void
}

export interface GraphViewProps {
  readonly graph: Graph
  /** Replaces the number of agents in the label while that number is unknown. */
  readonly unloadedLabel?: string | undefined
  readonly selected: string | null
  /** The name and activity of the selected agent, for screen readers. */
  readonly selectionText: string
  readonly onSelect: (key: string | null) => void
  readonly onOpenGroup: (key: string) => void
  /** Moves to the next session if only one is shown at a time. */
  readonly onSwipe: ((by: 1 | -1) => void) | null
  readonly runner: () => LayoutRunner
  /** The moment from which ages are counted. */
  readonly clock: () => number
  /** The width at the right edge that the panel covers. */
  readonly inset: number
  readonly stale: boolean
  readonly theme: string
  readonly handle: RefObject<GraphHandle | null>
}

export function GraphView(props: GraphViewProps) {
  const { graph, selected, inset } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const stage = useRef<Stage | null>(null)
  const auto = useRef(true)
  const reduced = useMedia('(prefers-reduced-motion: reduce)')
  useStage(canvas, stage, auto, props, reduced)
  useLayout(stage, auto, graph, props.runner, canvas)

  useEffect(() => {
    stage.current?.select(selected)
    if (selected !== null) stage.current?.panTo(selected)
  }, [selected])
  useEffect(() => {
    stage.current?.setInset(inset)
    if (auto.current) stage.current?.fit(true)
  }, [inset])
  useStuckClock(stage, graph)

  const hold = useCallback(() => {
    auto.current = false
  }, [])
  const fit = useCallback(() => {
    auto.current = true
    stage.current?.fit(true)
  }, [])
  useImperativeHandle(props.handle, () => ({
    fit,
    pulse: (pulses) => {
      for (const { key, tool } of pulses) stage.current?.pulse(key, tool)
    },
  }))
  const zoom = (factor: number) => {
    const now = stage.current
    const element = canvas.current
    if (!now || !element) return
    hold()
    now.setCamera(zoomAt(now.camera(), factor, element.clientWidth / 2, element.clientHeight / 2), true)
  }
  const gestures = useGestures({
    stage,
    canvas,
    onHold: hold,
    // When zoomed in, dragging pans; otherwise a swipe changes the session.
    swipe: () => (auto.current ? props.onSwipe : null),
    onClick: (x, y) => {
      const key = stage.current?.hit(x, y) ?? null
      if (key === null) props.onSelect(null)
      else if (graph.sessions.some((session) => session.key === key)) {
        hold()
        stage.current?.zoomTo(key)
      } else if (
        graph.sessions.some((one) => one.nodes.some((node) => node.key === key && node.kind === 'group'))
      )
        props.onOpenGroup(key)
      else props.onSelect(key)
    },
  })
  return (
    <div className="absolute inset-0 overflow-hidden">
      <canvas
        ref={canvas}
        role="img"
        aria-label={props.unloadedLabel ?? w.graphLabel(graph.alive, graph.sessions.length)}
        data-agents={graph.alive}
        className={classes(
          'absolute inset-0 h-full w-full touch-none data-[over=agent]:cursor-pointer',
          props.stale && 'opacity-60',
        )}
        {...gestures}
      />
      <span role="status" className="sr-only">
        {props.selectionText}
      </span>
      <div
        className={classes(
          'absolute bottom-3 z-10 flex gap-1.5 max-desk:hidden',
          inset > 0 ? 'right-89' : 'right-3',
          graph.sessions.length === 0 && 'hidden',
        )}
      >
        <IconButton icon="plus" label={w.zoomIn} onClick={() => zoom(1.35)} />
        <IconButton icon="minus" label={w.zoomOut} onClick={() => zoom(1 / 1.35)} />
        <Button onClick={fit}>{w.fit}</Button>
      </div>
    </div>
  )
}

function useStage(
  canvas: RefObject<HTMLCanvasElement | null>,
  stage: RefObject<Stage | null>,
  auto: RefObject<boolean>,
  props: GraphViewProps,
  reduced: boolean,
) {
  const clock = useRef(props.clock)
  clock.current = props.clock
  const calm = useRef(reduced)
  calm.current = reduced
  useLayoutEffect(() => {
    const element = canvas.current
    if (!element) return
    const made = createStage(element, calm.current)
    stage.current = made
    made.setClock(() => clock.current())
    const measure = () => {
      made.resize(element.clientWidth, element.clientHeight, Math.min(2, devicePixelRatio))
      if (auto.current) made.fit(false)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    // Exposed to measure the cost of a frame.
    Object.assign(element, { panoptesStage: made })
    return () => {
      observer.disconnect()
      made.stop()
      stage.current = null
    }
  }, [canvas, stage, auto])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides what the colors are
  useEffect(() => stage.current?.restyle(reduced), [stage, reduced, props.theme])
}

/** Runs the layout if agents came or went; otherwise only redraws. */
function useLayout(
  stage: RefObject<Stage | null>,
  auto: RefObject<boolean>,
  graph: Graph,
  makeRunner: () => LayoutRunner,
  canvas: RefObject<HTMLCanvasElement | null>,
) {
  const runner = useRef<LayoutRunner | null>(null)
  const last = useRef<{ signature: string; placement: Placement } | null>(null)
  const newest = useRef(graph)
  newest.current = graph
  useEffect(() => {
    runner.current = makeRunner()
    return () => {
      runner.current?.stop()
      runner.current = null
      last.current = null
    }
  }, [makeRunner])
  useEffect(() => {
    const sessions = layoutSessions(graph)
    const signature = layoutSignature(sessions)
    if (last.current?.signature === signature) {
      stage.current?.show(graph, last.current.placement)
      return
    }
    const element = canvas.current
    const aspect = element ? Math.max(0.4, element.clientWidth / Math.max(1, element.clientHeight)) : 1.5
    runner.current?.place(sessions, aspect, (placement) => {
      const first = last.current === null
      last.current = { signature, placement }
      const now = newest.current
      stage.current?.show(layoutSignature(layoutSessions(now)) === signature ? now : graph, placement)
      if (auto.current) stage.current?.fit(!first)
    })
  }, [graph, stage, auto, canvas])
}

/** A stuck agent does not move, but its silence grows. */
function useStuckClock(stage: RefObject<Stage | null>, graph: Graph) {
  const any = graph.sessions.some((session) => session.stuck > 0)
  useEffect(() => {
    if (!any) return
    const timer = setInterval(() => stage.current?.redraw(), 1_000)
    return () => clearInterval(timer)
  }, [any, stage])
}

export const layoutSessions = (graph: Graph): readonly LayoutSession[] =>
  graph.sessions.map((session) => ({
    key: session.key,
    nodes: session.nodes.map(({ key, parent, depth }) => ({ key, parent, depth })),
    pills: session.tools.length + (session.moreTools ? 1 : 0),
  }))

/** Two graphs with one signature share their layout; only what is drawn differs. */
export function layoutSignature(sessions: readonly LayoutSession[]): string {
  const parts: string[] = []
  for (const session of sessions) {
    parts.push(session.key, String(session.pills))
    for (const node of session.nodes) parts.push(node.key, String(node.parent))
  }
  return parts.join(' ')
}

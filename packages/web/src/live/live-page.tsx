import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { statusQuery } from '../api/queries.ts'
import { UsedUpStrip } from '../budgets/used-up-strip.tsx'
import { Button } from '../design/button.tsx'
import { RestingEye } from '../design/eye.tsx'
import { Strip } from '../design/strip.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { Page } from '../shell/page.tsx'
import { useNow } from '../shell/use-now.ts'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { Counters } from './counters.tsx'
import type { LiveAgents } from './data/live-agents.ts'
import { findSuccessor } from './data/live-agents.ts'
import { pageAgents } from './data/page-agents.ts'
import { createServerSource } from './data/server-source.ts'
import type { Scene } from './data/source.ts'
import { Explorer } from './explorer.tsx'
import { FilterBar } from './filter-bar.tsx'
import { FirstRun } from './first-run.tsx'
import type { GraphHandle } from './graph/graph-view.tsx'
import { toPulse } from './graph/pulses.ts'
import { runInWorker } from './layout/run-in-worker.ts'
import { countProjects, isNarrowed, NO_FILTER, sessionProjects } from './model/filter.ts'
import { EventLineContext, type EventLineProps } from './panel/event-line.tsx'
import type { ClockMove, ReplayClock } from './scrubber/clock.ts'
import { ReplayBadge, Scrubber } from './scrubber/scrubber.tsx'
import { SPANS, type SpanName } from './scrubber/span.ts'
import { useClock } from './scrubber/use-clock.ts'
import { usePast } from './scrubber/use-past.ts'
import { useLiveSpan, useTimeline } from './scrubber/use-timeline.ts'
import { type LiveSearch, readSearch, toFilter } from './search-params.ts'
import { useGraph } from './use-graph.ts'
import { useLiveKeys } from './use-live-keys.ts'
import { useScene } from './use-scene.ts'
import { useTimeTravel } from './use-time-travel.ts'

const route = getRouteApi('/')
const w = words.live
const now = () => Date.now()

export default function LivePage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const source = useMemo(createServerSource, [])
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [spanName, setSpanName] = useState<SpanName>('hour')
  const [clock, move] = useClock(true, search.at ?? null, now)
  const span = useLiveSpan(SPANS[spanName], clock.at)
  const timeline = useTimeline(source, span)
  const past = usePast(source, clock)
  const scene = useScene(clock.at, past)
  const filter = useMemo(() => toFilter(search), [search])
  const selected = search.agent ?? null
  const graph = useGraph(scene, filter, selected, open)
  const view = search.view ?? 'graph'
  const handle = useRef<GraphHandle>(null)
  const firstChip = useRef<HTMLButtonElement>(null)

  const go = useCallback(
    (change: Partial<Record<keyof LiveSearch, unknown>>) =>
      void navigate({ search: (before) => readSearch({ ...before, ...change }), replace: true }),
    [navigate],
  )
  const writeMoment = useCallback((at: number | undefined) => go({ at }), [go])
  useAddressedMoment(clock, search.at, move, writeMoment)
  const select = useCallback((key: string | null) => go({ agent: key ?? undefined }), [go])
  useHeir(scene, selected, select)
  const { step, jump } = useTimeTravel(source, clock, timeline, move)
  useLiveKeys({
    graph,
    selected,
    onSelect: select,
    onFit: () => handle.current?.fit(),
    onTable: () => go({ view: view === 'table' ? undefined : 'table' }),
    onFilter: () => firstChip.current?.focus(),
    move,
    from: span.from,
    onStep: step,
    onJump: jump,
    live: true,
  })
  usePulses(handle, clock.at === null)
  const { phase } = useStore(pageAgents)
  const { link, lostAt } = useStore(pageTail.state)
  const stale = lostAt !== null && link !== 'connecting'
  const empty = useIsFirstRun(phase)
  const loaded = scene.at !== null || phase === 'ready'
  const projects = countProjects(graph.sessions, sessionProjects(scene.sessions))
  const clear = () => go(NO_FILTER)
  const unloadedLabel = phase === 'failed' ? w.graphFailed : w.graphLoading
  const sub = loaded ? { sub: w.sub(graph.sessions.length, projects) } : {}
  return (
    <EventLineContext value={EventLink}>
      <Page title={w.title} {...(empty ? { sub: w.firstLook } : sub)}>
        {!empty && (
          <FilterBar
            scene={scene}
            loaded={loaded}
            filter={filter}
            view={view}
            onView={(next) => go({ view: next === 'table' ? next : undefined })}
            onChange={go}
            first={firstChip}
          />
        )}
        <LiveStrips scene={scene} failed={past.failed} />
        <Explorer
          scene={scene}
          graph={graph}
          unloadedLabel={loaded ? undefined : unloadedLabel}
          source={source}
          filter={filter}
          view={empty ? 'graph' : view}
          selected={selected}
          onSelect={select}
          onOpenGroup={(key) => setOpen((before) => new Set([...before, key]))}
          runner={runInWorker}
          stale={clock.at === null && stale}
          handle={handle}
          over={
            <>
              {empty && clock.at === null && <FirstRun />}
              {!empty && graph.sessions.length === 0 && (
                <Quiet
                  message={<QuietMessage phase={phase} narrowed={isNarrowed(filter)} />}
                  onClear={isNarrowed(filter) ? clear : undefined}
                />
              )}
              <Badge clock={clock} onToggle={() => move({ type: 'toggle', from: span.from })} />
            </>
          }
          under={
            <>
              {(view === 'graph' || clock.at !== null) && (
                <Scrubber
                  clock={clock}
                  span={span}
                  timeline={timeline}
                  live
                  stale={stale}
                  move={move}
                  onStep={step}
                  onJump={jump}
                  spanName={spanName}
                  onSpan={setSpanName}
                />
              )}
              <Counters scene={scene} />
            </>
          }
        />
      </Page>
    </EventLineContext>
  )
}

/** Why no agent is visible. */
function QuietMessage({
  phase,
  narrowed,
}: {
  readonly phase: LiveAgents['phase']
  readonly narrowed: boolean
}) {
  const alive = useQuery(statusQuery).data?.alive
  if (phase === 'loading') return w.reading(alive)
  if (phase === 'failed') return w.loadFailed
  return narrowed ? w.noMatch : w.quiet
}

function Badge(props: Omit<Parameters<typeof ReplayBadge>[0], 'now'>) {
  const time = useNow()
  return <ReplayBadge {...props} now={time} />
}

/** The store is empty, so the page explains how to start. */
function useIsFirstRun(phase: string): boolean {
  const { latest } = useStore(pageTail.state)
  const status = useQuery(statusQuery).data
  return phase !== 'loading' && (latest ?? status?.storage.last_seq ?? 1) === 0
}

function EventLink({ seq, className, children }: EventLineProps) {
  return (
    <Link to="/settings/events" search={{ event: seq }} className={className}>
      {children}
    </Link>
  )
}

/** A selected agent that was named by its call is replaced by the agent that the call created. */
function useHeir(scene: Scene, selected: string | null, select: (key: string) => void) {
  const heir = useMemo(() => findSuccessor(scene.agents, selected), [scene.agents, selected])
  useEffect(() => {
    if (heir !== null) select(heir)
  }, [heir, select])
}

/** Tool calls pulse as they arrive, one frame after they were stored. */
function usePulses(handle: { readonly current: GraphHandle | null }, live: boolean) {
  useEffect(() => {
    if (!live) return
    return pageTail.listen({
      onEvents: (events) => {
        const pulses = events.slice(-200).flatMap((event) => toPulse(event) ?? [])
        if (pulses.length > 0) handle.current?.pulse(pulses)
      },
    })
  }, [handle, live])
}

/** No agent is visible: nothing runs, data is loading, or the filters match nobody. */
function Quiet({
  message,
  onClear,
}: {
  readonly message: ReactNode
  readonly onClear?: (() => void) | undefined
}) {
  return (
    <div className="pointer-events-none absolute inset-0 flex flex-col items-center justify-center gap-3">
      <RestingEye />
      <p className="text-text-2">{message}</p>
      {onClear && (
        <Button className="pointer-events-auto" onClick={onClear}>
          {words.live.clear}
        </Button>
      )}
    </div>
  )
}

const REST_MS = 400

/** Keeps the moment in the address in sync with the clock, so that a shared address shows the same moment. */
function useAddressedMoment(
  clock: ReplayClock,
  address: number | undefined,
  move: (move: ClockMove) => void,
  write: (at: number | undefined) => void,
): void {
  const lastAddress = useRef(address)
  useEffect(() => {
    if (address === lastAddress.current) return
    lastAddress.current = address
    move(address === undefined ? { type: 'live' } : { type: 'seek', at: address })
  }, [address, move])
  const at = clock.at ?? undefined
  const { playing } = clock
  useEffect(() => {
    if (playing || at === lastAddress.current) return
    const timer = setTimeout(() => {
      lastAddress.current = at
      write(at)
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [at, playing, write])
}

/** Notices about the graph, shown above it. */
function LiveStrips({ scene, failed }: { readonly scene: Scene; readonly failed: boolean }) {
  const { leftOut } = useStore(pageAgents)
  const first = scene.conflicts[0]
  return (
    <Strips what={w.graphWord} reading={false}>
      <UsedUpStrip />
      {leftOut > 0 && <Strip glyph="stuck">{w.leftOut(leftOut)}</Strip>}
      {failed && (
        <Strip alert glyph="failed">
          {w.scrubber.failed}
        </Strip>
      )}
      {first && (
        <Strip glyph="stuck">
          {w.conflict(first.file, first.agents.length)}
          {scene.conflicts.length > 1 && `, ${w.conflictMore(scene.conflicts.length - 1)}`}
        </Strip>
      )}
    </Strips>
  )
}

import '../design/design.css'
import type { Recording } from '@panoptes/schema'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, useMemo, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '../api/client.ts'
import { Eye } from '../design/eye.tsx'
import * as f from '../format.ts'
import type { Scene } from '../live/data/source.ts'
import { Explorer } from '../live/explorer.tsx'
import { FilterBar } from '../live/filter-bar.tsx'
import type { GraphHandle } from '../live/graph/graph-view.tsx'
import { runHere } from '../live/layout/runner.ts'
import type { LiveFilter } from '../live/model/filter.ts'
import { PastCounters } from '../live/past-counters.tsx'
import { ReplayBadge, Scrubber } from '../live/scrubber/scrubber.tsx'
import { useClock } from '../live/scrubber/use-clock.ts'
import { usePast } from '../live/scrubber/use-past.ts'
import { useGraph } from '../live/use-graph.ts'
import { useLiveKeys } from '../live/use-live-keys.ts'
import { useTimeTravel } from '../live/use-time-travel.ts'
import { words } from '../words.ts'
import { createRecordingSource, frameAt, RECORDING_ID, readRecording } from './recording.ts'

const w = words.live

/** Plays a recording offline with the same graph, table, panel and scrubber. */
export function ReplayPage({ recording }: { readonly recording: Recording }) {
  const source = useMemo(() => createRecordingSource(recording), [recording])
  const [clock, move] = useClock(false, recording.from, () => recording.to)
  const past = usePast(source, clock)
  const [filter, setFilter] = useState<LiveFilter>({})
  const [view, setView] = useState<'graph' | 'table'>('graph')
  const [selected, setSelected] = useState<string | null>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const scene = useMemo((): Scene => {
    const frame = past.frame ?? frameAt(recording, recording.from)
    return { at: frame.at, agents: frame.agents, sessions: recording.sessions, tools: [], conflicts: [] }
  }, [past.frame, recording])
  const graph = useGraph(scene, filter, selected, open)
  const handle = useRef<GraphHandle>(null)
  const firstChip = useRef<HTMLButtonElement>(null)
  const { step, jump } = useTimeTravel(source, clock, recording.timeline, move)
  const toggle = () => {
    if (clock.at !== null && clock.at >= recording.to) move({ type: 'seek', at: recording.from })
    move({ type: 'toggle', from: recording.from })
  }
  useLiveKeys({
    graph,
    selected,
    onSelect: setSelected,
    onFit: () => handle.current?.fit(),
    onTable: () => setView(view === 'table' ? 'graph' : 'table'),
    onFilter: () => firstChip.current?.focus(),
    move: (one) => (one.type === 'toggle' ? toggle() : move(one)),
    from: recording.from,
    onStep: step,
    onJump: jump,
    live: false,
  })
  return (
    <div className="flex h-full flex-col bg-surface">
      <header className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-4">
        <Eye />
        <h1 className="text-15 font-semibold">{w.scrubber.recording}</h1>
        <p className="truncate text-12 text-text-3">
          {f.day(recording.from, recording.to)}, {f.clock(recording.from)} – {f.clock(recording.to)}
        </p>
      </header>
      <main id="page" className="flex min-h-0 flex-1 flex-col">
        <FilterBar
          scene={scene}
          loaded
          filter={filter}
          view={view}
          onView={setView}
          onChange={(change) => setFilter((before) => ({ ...before, ...change }))}
          first={firstChip}
        />
        <Explorer
          scene={scene}
          graph={graph}
          source={source}
          filter={filter}
          view={view}
          selected={selected}
          onSelect={setSelected}
          onOpenGroup={(key) => setOpen((before) => new Set([...before, key]))}
          runner={runHere}
          stale={false}
          handle={handle}
          over={<ReplayBadge clock={clock} now={null} onToggle={toggle} />}
          under={
            <>
              <Scrubber
                clock={clock}
                span={recording}
                timeline={recording.timeline}
                live={false}
                move={(one) => (one.type === 'toggle' ? toggle() : move(one))}
                onStep={step}
                onJump={jump}
              />
              <PastCounters scene={scene} at={scene.at ?? recording.from} />
            </>
          }
        />
      </main>
    </div>
  )
}

const place = document.getElementById('root')
const recording = readRecording(document.getElementById(RECORDING_ID)?.textContent ?? '')
if (place && recording)
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ReplayPage recording={recording} />
      </QueryClientProvider>
    </StrictMode>,
  )
else if (place) place.textContent = words.live.noRecording

import { clamp } from '@panoptes/schema/numbers'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { statusQuery } from '../api/queries.ts'
import { Command } from '../design/code.tsx'
import { NoMatch, NothingYet } from '../design/empty.tsx'
import { Sparkline } from '../design/sparkline.tsx'
import { Strip } from '../design/strip.tsx'
import { toast } from '../design/toast.tsx'
import * as f from '../format.ts'
import { Page } from '../shell/page.tsx'
import { useCommand } from '../shell/use-command.ts'
import { useKeys } from '../shell/use-keys.ts'
import { useMedia } from '../shell/use-media.ts'
import { words } from '../words.ts'
import { EventTable, HEAD } from './event-table.tsx'
import { type Filter, isNarrowed } from './filter.ts'
import { FilterBar, NOTHING } from './filter-bar.tsx'
import type { ListState } from './list.ts'
import { Panel } from './panel.tsx'
import { type EventsSearch, readSearch, toFilter } from './search-params.ts'
import { EventStrips, type PauseReason } from './strips.tsx'
import { useEventList } from './use-event-list.ts'
import type { RowWindow } from './use-row-window.ts'
import { useRowWindow } from './use-row-window.ts'

const route = getRouteApi('/settings/events')
const ROW = 24
const NARROW_ROW = 48
const SECONDS = 60

export default function EventsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const filter = toFilter(search)
  const { list, state } = useEventList(filter)
  const [paused, setPaused] = useState(false)
  const [box, setBox] = useState<HTMLDivElement | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const narrow = useMedia('(width < 760px)')
  const view = useRowWindow(box, {
    rows: state.rows,
    rowHeight: narrow ? NARROW_ROW : ROW,
    head: narrow ? 0 : HEAD,
  })
  const { toRow, toTop } = view
  const open = search.event
  const hold: PauseReason = open !== undefined ? 'open' : paused ? 'paused' : view.top > 0 ? 'scrolled' : null

  useEffect(() => list?.hold(hold !== null), [list, hold])

  // An event opened by its address or from another page is scrolled into view.
  const row = open === undefined ? undefined : list?.indexOf(open)
  useEffect(() => {
    if (row !== undefined) toRow(row)
  }, [row, toRow])

  const go = useCallback(
    (change: Partial<Record<keyof EventsSearch, unknown>>, replace: boolean) =>
      void navigate({ search: (before) => readSearch({ ...before, ...change }), replace }),
    [navigate],
  )
  const openEvent = useCallback((seq: number) => go({ event: seq }, open !== undefined), [go, open])
  const close = () => go({ event: undefined }, false)
  const narrowTo = useCallback(
    ({ kinds, ...rest }: Partial<Record<keyof Filter, unknown>>) => {
      toTop()
      go({ ...rest, ...(kinds === undefined ? {} : { kind: (kinds as string[]).join(',') }) }, false)
    },
    [go, toTop],
  )
  const changeFilter = useCallback(
    (change: Partial<Record<keyof Filter, unknown>>) =>
      narrowTo('kinds' in change ? { ...change, kinds: change.kinds ?? [] } : change),
    [narrowTo],
  )
  const clear = () => {
    changeFilter(NOTHING)
    toast({ text: words.events.filter.cleared, undo: () => go(search, false) })
  }
  const step = (by: number) => {
    if (!list || state.rows === 0) return
    const at = open === undefined ? undefined : list.indexOf(open)
    const next = at === undefined ? view.top : clamp(at + by, 0, state.rows - 1)
    openEvent(list.keyAt(next))
  }
  const live = () => {
    setPaused(false)
    if (open !== undefined) close()
    toTop()
  }
  const loadedEvent = open === undefined ? undefined : list?.at(list.indexOf(open) ?? -1)

  useKeys({
    '/': () => input.current?.focus(),
    j: () => step(1),
    k: () => step(-1),
    l: live,
    f: () => changeFilter({ failed: filter.failed ? undefined : true }),
    ' ': () => setPaused((before) => !before),
    ...(open !== undefined ? { Escape: close } : {}),
  })

  const empty = state.phase === 'ready' && state.rows === 0 && state.complete
  return (
    <Page title={words.events.title} sub={words.events.sub}>
      <Stats />
      <div className="relative flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col">
          <FilterBar
            filter={filter}
            onChange={changeFilter}
            onClear={clear}
            paused={paused}
            onPause={() => setPaused(!paused)}
            input={input}
          />
          <EventStrips list={list} state={state} hold={hold} onLive={live} />
          {empty && !isNarrowed(filter) && <NoEvents />}
          {empty && isNarrowed(filter) && (
            <NoMatch {...words.events.noMatch} clear={words.events.filter.clear} onClear={clear} />
          )}
          {!empty && state.rows === 0 && state.lookedTo !== null && (
            <Strip>{`${words.events.loading} · ${words.events.lookedBack(state.lookedTo)}`}</Strip>
          )}
          {list && !empty && (
            <EventTable
              box={setBox}
              list={list}
              rows={state.rows}
              version={state.version}
              view={view}
              open={open}
              narrow={narrow}
              onOpen={openEvent}
              onStep={step}
            />
          )}
          {!empty && <Foot state={state} view={view} />}
        </div>
        {open !== undefined && (
          <Panel
            key={open}
            seq={open}
            known={loadedEvent}
            onClose={close}
            onStep={step}
            onOpen={openEvent}
            onNarrow={changeFilter}
          />
        )}
      </div>
    </Page>
  )
}

const w = words.events

function NoEvents() {
  const command = useCommand()
  return (
    <NothingYet title={w.empty.title} sources={w.empty.sources}>
      <p className="text-text-2">{w.empty.body}</p>
      <Command text={w.empty.demo(command)} />
      <p className="pt-1 text-text-2">{w.empty.post}</p>
      <Command text={w.empty.example(location.origin)} />
    </NothingYet>
  )
}

/** The visible rows and the total. */
function Foot({ state, view }: { readonly state: ListState; readonly view: RowWindow }) {
  if (state.rows === 0) return null
  const from = Math.min(view.top + 1, state.rows)
  const label = state.complete
    ? `${w.rows(from, view.bottom, state.rows)} · ${w.onlyDrawn}`
    : `${w.rowsSoFar(from, view.bottom, state.rows)}${state.lookedTo === null ? '' : ` · ${w.lookedBack(state.lookedTo)}`}`
  return (
    <div className="flex h-8 shrink-0 items-center justify-between gap-4 border-t border-line px-4 text-11 text-text-3">
      <span className="max-desk:hidden">{w.order}</span>
      <span className="truncate">{label}</span>
    </div>
  )
}

/** Stream statistics: rate, lag, and how many events were stored, missed and rejected. */
function Stats() {
  const { data } = useQuery({ ...statusQuery, refetchInterval: 1_000, staleTime: 0 })
  const flow = data?.flow
  const history = lastMinute(flow?.history ?? [])
  const rejected = flow?.last_rejected
  return (
    <section
      aria-label={w.stats.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
      tabIndex={0}
      className="flex shrink-0 items-center gap-6 overflow-x-auto border-b border-line px-4 py-2.5 whitespace-nowrap max-desk:gap-5 -outline-offset-2"
    >
      <dl>
        <Stat
          label={w.stats.rate}
          value={flow ? f.rate(flow.events_per_second) : words.unknown}
          unit={w.stats.perSecond}
        />
      </dl>
      <span className="max-roomy:hidden">
        <Sparkline values={history} label={w.stats.history(history)} />
      </span>
      <Divided>
        <Stat label={w.stats.lag50} {...lag(flow?.lag_p50_ms)} />
        <Stat label={w.stats.lag99} {...lag(flow?.lag_p99_ms)} />
      </Divided>
      <Divided>
        <Stat label={w.stats.stored} value={data ? f.count(data.storage.events) : words.unknown} />
        <Stat label={w.stats.missed} value={flow ? f.count(flow.missed) : words.unknown} />
      </Divided>
      <Divided>
        <Stat
          label={w.stats.rejected}
          value={flow ? f.count(flow.rejected) : words.unknown}
          {...(rejected ? { unit: w.stats.last(rejected.line, rejected.path, rejected.reason) } : {})}
        />
      </Divided>
    </section>
  )
}

function Divided({ children }: { readonly children: ReactNode }) {
  return <dl className="flex gap-6 border-l border-line pl-6 max-desk:gap-5 max-desk:pl-5">{children}</dl>
}

function lag(ms: number | null | undefined): { readonly value: string; readonly unit?: string } {
  if (ms == null) return { value: words.unknown }
  const [value = words.unknown, unit] = f.duration(ms).split(' ')
  return unit === undefined || /\d/.test(unit) ? { value: f.duration(ms) } : { value, unit }
}

/** The server may have run for less than a minute. */
const lastMinute = (history: readonly number[]): readonly number[] =>
  [...Array.from({ length: SECONDS }, () => 0), ...history].slice(-SECONDS)

/** One important number under its name. */
function Stat({
  label,
  value,
  unit,
}: {
  readonly label: string
  readonly value: string
  readonly unit?: ReactNode
}) {
  return (
    <div className="shrink-0">
      <dt className="text-11 text-text-3">{label}</dt>
      <dd>
        <span className="text-18 font-semibold text-text">{value}</span>
        {unit !== undefined && <span className="ml-1 text-11 text-text-3">{unit}</span>}
      </dd>
    </div>
  )
}

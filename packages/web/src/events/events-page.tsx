import { clamp } from '@panoptes/schema/numbers'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Command } from '../design/command.tsx'
import { NoMatch } from '../design/no-match.tsx'
import { NothingYet } from '../design/nothing-yet.tsx'
import { Strip } from '../design/strip.tsx'
import { toast } from '../design/toast.tsx'
import { Page } from '../shell/page.tsx'
import { useCommand } from '../shell/use-command.ts'
import { useKeys } from '../shell/use-keys.ts'
import { useMedia } from '../shell/use-media.ts'
import { words } from '../words.ts'
import { EventTable, HEAD } from './event-table.tsx'
import { type Filter, isNarrowed } from './filter.ts'
import { FilterBar, NOTHING } from './filter-bar.tsx'
import { Foot } from './footer.tsx'
import { Panel } from './panel.tsx'
import { type EventsSearch, readSearch, toFilter } from './search-params.ts'
import { Stats } from './stats.tsx'
import { EventStrips, type Hold } from './strips.tsx'
import { useEventList } from './use-event-list.ts'
import { useRowWindow } from './use-row-window.ts'

const route = getRouteApi('/settings/events')
const ROW = 24
const NARROW_ROW = 48

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
  const hold: Hold = open !== undefined ? 'open' : paused ? 'paused' : view.top > 0 ? 'scrolled' : null

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

const w = words.events.empty

function NoEvents() {
  const command = useCommand()
  return (
    <NothingYet title={w.title} sources={w.sources}>
      <p className="text-text-2">{w.body}</p>
      <Command text={w.demo(command)} />
      <p className="pt-1 text-text-2">{w.post}</p>
      <Command text={w.example(location.origin)} />
    </NothingYet>
  )
}

import type { EventsPage } from '@panoptes/schema'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { awaySince, getJson, RequestFailure } from '../api/request.ts'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { createMatcher, type Filter, isNarrowed, toSearchParams } from './filter.ts'
import { FilteredList } from './filtered-list.ts'
import { BLANK, type EventList, type ListState, type ReadPage } from './list.ts'
import { SeqList } from './seq-list.ts'

/** How long after a failure the visible rows are loaded again. */
const AGAIN_MS = 3_000

export interface OpenList {
  readonly list: EventList | null
  readonly state: ListState
}

/** The list for a filter, fed by the live stream while it is shown. */
export function useEventList(filter: Filter): OpenList {
  const key = JSON.stringify(filter)
  const stable = useMemo(() => JSON.parse(key) as Filter, [key])
  const [list, setList] = useState<EventList | null>(null)
  const { link } = useStore(pageTail.state)

  useEffect(() => {
    const read = pageReader(stable)
    const made = isNarrowed(stable) ? new FilteredList(read, createMatcher(stable)) : new SeqList(read)
    setList(made)
    const stop = pageTail.listen({ onEvents: made.take, onBreak: made.onBreak, onReset: made.reload })
    return () => {
      stop()
      made.close()
    }
  }, [stable])

  useEffect(() => {
    if (link === 'connected') list?.retry()
  }, [link, list])

  const state = useSyncExternalStore(list?.state.subscribe ?? subscribeToNothing, list?.state.get ?? getBlank)

  // The stream stays open while a hub's database is down or another connection breaks, so nothing else would report the recovery.
  const isAway = useStore(awaySince) !== null
  const again = state.phase === 'failed' && isTemporary(state.error) && link === 'connected' && !isAway
  useEffect(() => {
    if (!again) return
    const timer = setTimeout(() => list?.retry(), AGAIN_MS)
    return () => clearTimeout(timer)
  }, [again, list])
  return { list, state }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof RequestFailure && (error.status === 0 || error.status >= 500)

const subscribeToNothing = () => () => undefined
const getBlank = () => BLANK

const pageReader =
  (filter: Filter): ReadPage =>
  (range, signal) => {
    const query = toSearchParams(filter)
    if ('after' in range) query.set('after', String(range.after))
    else query.set('before', String(range.before))
    query.set('limit', String(range.limit))
    return getJson<EventsPage>(`/api/events?${query}`, signal)
  }

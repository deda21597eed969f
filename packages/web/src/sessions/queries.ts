import type {
  FoundMessage,
  IndexStatus,
  PastSession,
  SavedFilter,
  StatsGroup,
  StatsRow,
  TagCount,
} from '@panoptes/schema'
import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  replaceEqualDeep,
} from '@tanstack/react-query'
import { getJson } from '../api/request.ts'

const PAGE = 200
/** A list this short is polled; a longer one is fetched again when the index has read something. */
const FEW_PAGES = 2
const OFTEN_MS = 1_000
const SELDOM_MS = 5_000

export const pastSessionsQuery = (filter: string) =>
  infiniteQueryOptions({
    queryKey: ['past', 'sessions', filter],
    queryFn: ({ pageParam, signal }) =>
      getJson<readonly PastSession[]>(
        `/api/past/sessions?${filter}&limit=${PAGE}&offset=${pageParam}`,
        signal,
      ),
    initialPageParam: 0,
    // Comparing all loaded rows with every new page would take longer than rendering it.
    structuralSharing: (before, now) =>
      pagesIn(before) === pagesIn(now) ? replaceEqualDeep(before, now) : now,
    getNextPageParam: (last, pages) => (last.length < PAGE ? null : pages.length * PAGE),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= FEW_PAGES ? SELDOM_MS : false),
  })

const pagesIn = (data: unknown): number =>
  (data as InfiniteData<readonly PastSession[]> | undefined)?.pages.length ?? 0

/**
 * The server may have to read a session for the snippet of a hit, so a page has only as many hits as people
 * look at.
 */
const HITS = 50
/** The server ranks no more hits than this. */
export const MOST_HITS = 1_000

export const searchQuery = (q: string, filter: string) =>
  infiniteQueryOptions({
    queryKey: ['past', 'search', q, filter],
    // The signal aborts the previous search when another key is typed.
    queryFn: ({ pageParam, signal }) => {
      const params = new URLSearchParams({ q, limit: String(HITS), offset: String(pageParam) })
      return getJson<readonly FoundMessage[]>(`/api/past/search?${params}&${filter}`, signal)
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const next = pages.length * HITS
      return last.length < HITS || next >= MOST_HITS ? null : next
    },
  })

export const pastStatsQuery = (by: StatsGroup) =>
  queryOptions({
    queryKey: ['past', 'stats', by],
    queryFn: ({ signal }) => getJson<readonly StatsRow[]>(`/api/past/stats?by=${by}`, signal),
    staleTime: SELDOM_MS,
  })

export const indexStatusQuery = queryOptions({
  queryKey: ['past-status'],
  queryFn: ({ signal }) => getJson<readonly IndexStatus[]>('/api/past/status', signal),
  refetchInterval: ({ state }) => (state.data?.some((one) => one.state === 'running') ? OFTEN_MS : SELDOM_MS),
})

export const tagsQuery = queryOptions({
  queryKey: ['past', 'tags'],
  queryFn: ({ signal }) => getJson<readonly TagCount[]>('/api/past/tags', signal),
  staleTime: SELDOM_MS,
})

export const savedFiltersQuery = queryOptions({
  queryKey: ['past-filters'],
  queryFn: ({ signal }) => getJson<readonly SavedFilter[]>('/api/past/filters', signal),
})

import type {
  Agent,
  BrowsersReply,
  EventsPage,
  FileConflict,
  FoundSource,
  HealthCheck,
  SessionSummary,
  StatusReply,
  StoredEvent,
  TokenInfo,
  ToolStats,
} from '@panoptes/schema'
import { queryOptions } from '@tanstack/react-query'
import { getJson } from './request.ts'

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => getJson<StatusReply>('/api/status', signal),
})

export const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: ({ signal }) => getJson<{ readonly sources: readonly FoundSource[] }>('/api/sources', signal),
})

const READING_MS = 5_000

/** The same sources, fetched again while their sessions are read for the first time. */
export const growingSourcesQuery = queryOptions({
  ...sourcesQuery,
  refetchInterval: ({ state }) =>
    state.data?.sources.some(({ saved }) => saved?.state === 'reading') ? READING_MS : false,
})

export interface HealthReply {
  readonly checked_at: number
  readonly checks: readonly HealthCheck[]
}

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => getJson<HealthReply>('/api/health', signal),
})

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => getJson<{ readonly tokens: readonly TokenInfo[] }>('/api/tokens', signal),
})

export const browsersQuery = queryOptions({
  queryKey: ['browsers'],
  queryFn: ({ signal }) => getJson<BrowsersReply>('/api/browsers', signal),
})

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => getJson<readonly Agent[]>('/api/agents', signal),
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => getJson<readonly SessionSummary[]>('/api/sessions?limit=2000', signal),
})

export const toolsQuery = queryOptions({
  queryKey: ['tools'],
  queryFn: ({ signal }) => getJson<readonly ToolStats[]>('/api/tools', signal),
})

export const conflictsQuery = queryOptions({
  queryKey: ['conflicts'],
  queryFn: ({ signal }) => getJson<readonly FileConflict[]>('/api/conflicts', signal),
})

export const eventQuery = (seq: number) =>
  queryOptions({
    queryKey: ['event', seq],
    queryFn: async ({ signal }): Promise<StoredEvent | null> => {
      const page = await getJson<EventsPage>(`/api/events?after=${seq - 1}&limit=1`, signal)
      return page.events.find((event) => event.seq === seq) ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Other events with the same id in the same session, oldest first. */
export const sameIdQuery = (session: string, id: string) =>
  queryOptions({
    queryKey: ['same-id', session, id],
    queryFn: async ({ signal }): Promise<readonly StoredEvent[]> => {
      const query = new URLSearchParams({ after: '0', limit: '50', session, text: id.slice(0, 200) })
      const page = await getJson<EventsPage>(`/api/events?${query}`, signal)
      return page.events.filter((event) => event.id === id || event.tool_use_id === id)
    },
  })

/** Which rows of a list to request. */
export interface PageParam {
  readonly offset: number
  readonly limit: number
}

import type { AuditEntry, Space, TeamToken, TeamUser } from '@panoptes/schema'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { queryClient } from '../../api/client.ts'
import { getJson } from '../../api/request.ts'

const all = ['team'] as const
const PAGE = 30

export const peopleQuery = queryOptions({
  queryKey: [...all, 'users'],
  queryFn: ({ signal }) => getJson<{ readonly users: readonly TeamUser[] }>('/api/team/users', signal),
})

export const teamTokensQuery = queryOptions({
  queryKey: [...all, 'tokens'],
  queryFn: ({ signal }) => getJson<{ readonly tokens: readonly TeamToken[] }>('/api/team/tokens', signal),
})

export const ownTokensQuery = queryOptions({
  queryKey: [...all, 'own-tokens'],
  queryFn: ({ signal }) => getJson<{ readonly tokens: readonly TeamToken[] }>('/api/me/tokens', signal),
})

export const spacesQuery = queryOptions({
  queryKey: [...all, 'spaces'],
  queryFn: ({ signal }) => getJson<{ readonly spaces: readonly Space[] }>('/api/team/spaces', signal),
})

export interface AuditFilter {
  readonly actor: string
  readonly action: string
}

interface AuditPage {
  readonly entries: readonly AuditEntry[]
  readonly next: number | null
}

export const auditQuery = ({ actor, action }: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...all, 'audit', actor, action],
    queryFn: ({ pageParam, signal }) => {
      const params = new URLSearchParams({ limit: String(PAGE) })
      if (actor !== '') params.set('actor', actor)
      if (action !== '') params.set('action', action)
      if (pageParam !== null) params.set('before', String(pageParam))
      return getJson<AuditPage>(`/api/team/audit?${params}`, signal)
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  })

/** Fetches all team data after a change, because the audit log contains the change, too. */
export const invalidateTeam = (): Promise<void> => queryClient.invalidateQueries({ queryKey: all })

import type { PastSession } from '@panoptes/schema'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { getJson } from '../api/request.ts'
import { pastSessionKey } from '../live/data/agent-key.ts'

/** Session titles by session key. */
export type Titles = ReadonlyMap<string, string>

const NEWEST = 500
const SELDOM_MS = 30_000

const newestQuery = queryOptions({
  queryKey: ['past', 'titles'],
  queryFn: ({ signal }) => getJson<readonly PastSession[]>(`/api/past/sessions?limit=${NEWEST}`, signal),
  staleTime: SELDOM_MS,
})

/** The titles of the newest sessions; older ones show their id. */
export function useTitles(wanted = true): Titles {
  const sessions = useQuery({ ...newestQuery, enabled: wanted }).data
  return useMemo(() => {
    const entries = sessions?.flatMap((session) =>
      session.title === null ? [] : [[pastSessionKey(session), session.title] as const],
    )
    return new Map(entries)
  }, [sessions])
}

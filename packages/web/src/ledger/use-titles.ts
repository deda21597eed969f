import type { PastSession } from '@panoptes/schema'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { getJson } from '../api/request.ts'
import { sessionKeyOf } from '../live/data/key.ts'

/** What sessions are about, by their key. */
export type Titles = ReadonlyMap<string, string>

const NEWEST = 500
const SELDOM_MS = 30_000

const newestQuery = queryOptions({
  queryKey: ['past', 'titles'],
  queryFn: ({ signal }) => getJson<readonly PastSession[]>(`/api/past/sessions?limit=${NEWEST}`, signal),
  staleTime: SELDOM_MS,
})

/** The titles of the newest sessions; an older one is called by its id. */
export function useTitles(wanted = true): Titles {
  const sessions = useQuery({ ...newestQuery, enabled: wanted }).data
  return useMemo(() => {
    const known = sessions?.flatMap(({ source, id, title }) =>
      title === null ? [] : [[sessionKeyOf({ source, session_id: id }), title] as const],
    )
    return new Map(known)
  }, [sessions])
}

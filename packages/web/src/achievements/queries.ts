import type { AchievementsReply, AchievementsView, RescanReply } from '@panoptes/schema'
import { queryOptions } from '@tanstack/react-query'
import { queryClient } from '../api/client.ts'
import { getJson, postJson } from '../api/request.ts'

const OFTEN_MS = 700
const SECOND_MS = 1_000
/** After a failure it retries soon, because a locked file is free again in a moment. */
const SOON_MS = 10_000
/** Keeps the result for someone who leaves the page and comes back. */
const FRESH_MS = 10_000

export const achievementsKey = ['achievements'] as const

/** `wait=0` returns the current numbers at once; the server starts a scan if they are old, and the page follows it. */
export const achievementsQuery = (view: AchievementsView) =>
  queryOptions({
    queryKey: [...achievementsKey, view],
    queryFn: ({ signal }) => getJson<AchievementsReply>(`/api/achievements?source=${view}&wait=0`, signal),
    staleTime: FRESH_MS,
    refetchInterval: ({ state }) => {
      if (state.error !== null) return SOON_MS
      const { scan_meta: meta, error } = state.data ?? {}
      if (meta?.status?.state === 'running') return OFTEN_MS
      if (error || meta?.error) return SOON_MS
      return (meta?.status?.ttl_seconds ?? 120) * SECOND_MS
    },
  })

export async function rescan(view: AchievementsView, full: boolean): Promise<void> {
  await postJson<RescanReply>('/api/rescan', { full, source: view })
  await queryClient.invalidateQueries({ queryKey: [...achievementsKey, view] })
}

export async function reset(view: AchievementsView): Promise<number> {
  const { unlocks_removed: removed } = await postJson<{ readonly unlocks_removed: number }>(
    '/api/achievements/reset',
    { confirm: 'reset', source: view },
  )
  await queryClient.invalidateQueries({ queryKey: [...achievementsKey, view] })
  return removed
}

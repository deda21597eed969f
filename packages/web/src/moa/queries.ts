import type { ListedPreset, MoaTurn, PresetsReply, SlotStats, TurnDiff, TurnReply } from '@panoptes/schema'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { queryClient } from '../api/client.ts'
import type { PageParam } from '../api/queries.ts'
import { deleteAt, getJson, putJson } from '../api/request.ts'

interface TurnsReply {
  readonly total: number
  readonly turns: readonly MoaTurn[]
}

const SELDOM_MS = 10_000
const FRESH_MS = 3_000
const FIRST = 50
const PAGE = 200
/** The number of turns in the slot statistics. */
export const LAST_TURNS = 50
const all = ['moa'] as const

const turnsAt = (query: string, signal?: AbortSignal): Promise<TurnsReply> =>
  getJson<TurnsReply>(`/api/moa/turns?${query}`, signal)

/** The turns, newest first; more pages are fetched on demand. */
export const turnsQuery = (filter: string) =>
  infiniteQueryOptions({
    queryKey: [...all, 'turns', filter],
    queryFn: ({ pageParam: { offset, limit }, signal }) =>
      turnsAt(`${filter}&limit=${limit}&offset=${offset}`, signal),
    initialPageParam: { offset: 0, limit: FIRST } as PageParam,
    getNextPageParam: (last, pages): PageParam | null => {
      const read = pages.reduce((rows, { turns }) => rows + turns.length, 0)
      return last.turns.length === 0 || read >= last.total ? null : { offset: read, limit: PAGE }
    },
    staleTime: FRESH_MS,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? SELDOM_MS : false),
  })

export const turnQuery = (id: string) =>
  queryOptions({
    queryKey: [...all, 'turn', id],
    queryFn: ({ signal }) => getJson<TurnReply>(`/api/moa/turns/${encodeURIComponent(id)}`, signal),
    staleTime: FRESH_MS,
    refetchInterval: ({ state }) => (state.data?.turn.status === 'running' ? 1_000 : SELDOM_MS),
  })

export interface Neighbors {
  readonly older: string | null
  readonly newer: string | null
}

/** Finds the newer and the older neighbor of a turn within the filter. */
export const neighborsQuery = ({ id, started_at }: Pick<MoaTurn, 'id' | 'started_at'>, filter: string) =>
  queryOptions({
    queryKey: [...all, 'neighbors', filter, id],
    queryFn: async ({ signal }): Promise<Neighbors> => {
      const ask = (query: string) => turnsAt(`${filter}&${query}`, signal)
      const [before, after] = await Promise.all([
        ask(`until=${started_at}&limit=1`),
        ask(`since=${started_at + 1}&limit=1`),
      ])
      const older = before.turns[0]?.id ?? null
      if (after.total <= 1) return { older, newer: after.turns[0]?.id ?? null }
      const next = await ask(`since=${started_at + 1}&limit=1&offset=${after.total - 1}`)
      return { older, newer: next.turns[0]?.id ?? null }
    },
    staleTime: FRESH_MS,
  })

export const diffQuery = (turn: string, against: string) =>
  queryOptions({
    queryKey: [...all, 'diff', turn, against],
    queryFn: ({ signal }) =>
      getJson<TurnDiff>(
        `/api/moa/turns/${encodeURIComponent(turn)}/diff?with=${encodeURIComponent(against)}`,
        signal,
      ),
    staleTime: FRESH_MS,
  })

export const slotsQuery = (preset: string) =>
  queryOptions({
    queryKey: [...all, 'slots', preset],
    queryFn: ({ signal }) =>
      getJson<readonly SlotStats[]>(
        `/api/moa/slots?preset=${encodeURIComponent(preset)}&turns=${LAST_TURNS}`,
        signal,
      ),
    staleTime: FRESH_MS,
    refetchInterval: SELDOM_MS,
  })

export const presetsQuery = queryOptions({
  queryKey: [...all, 'presets'],
  queryFn: ({ signal }) => getJson<PresetsReply>('/api/moa/presets', signal),
  staleTime: FRESH_MS,
  refetchInterval: SELDOM_MS,
})

const findPreset = (name: string): string => `/api/moa/presets/${encodeURIComponent(name)}`

export async function savePreset(name: string, preset: unknown): Promise<ListedPreset> {
  const savedPreset = await putJson<ListedPreset>(findPreset(name), preset)
  await invalidateMoa()
  return savedPreset
}

export async function deletePreset(name: string): Promise<void> {
  await deleteAt(findPreset(name))
  await invalidateMoa()
}

export async function saveTraces(save: boolean): Promise<void> {
  await putJson<unknown>('/api/moa/traces', { save })
  await invalidateMoa()
}

export const invalidateMoa = (): Promise<void> => queryClient.invalidateQueries({ queryKey: all })

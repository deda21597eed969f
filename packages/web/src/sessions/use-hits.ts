import type { FoundMessage } from '@panoptes/schema'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { searchQuery } from './queries.ts'

export interface FoundHits {
  /** Undefined before the first response. */
  readonly hits: readonly FoundMessage[] | undefined
  readonly error: Error | null
  /** Whether there may be more hits, which `onMore` loads. */
  readonly more: boolean
  readonly onMore: () => void
  readonly onRetry: () => void
}

/** The hits of a search; the previous ones stay until the next response arrives. */
export function useHits(q: string, filter: string): FoundHits {
  const query = useInfiniteQuery({
    ...searchQuery(q, filter),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  const { data, error, hasNextPage, isPlaceholderData, fetchNextPage, refetch } = query
  const hits = useMemo(() => data?.pages.flat(), [data])
  return {
    hits,
    error,
    more: hasNextPage && !isPlaceholderData,
    onMore: useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]),
    onRetry: useCallback(() => void refetch(), [refetch]),
  }
}

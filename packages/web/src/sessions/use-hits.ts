import type { FoundMessage } from '@panoptes/schema'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { searchQuery } from './queries.ts'

export interface FoundHits {
  /** Nothing before the first answer. */
  readonly hits: readonly FoundMessage[] | undefined
  readonly error: Error | null
  /** Whether there may be more of them, which `onMore` asks for. */
  readonly more: boolean
  readonly onMore: () => void
  readonly onRetry: () => void
}

/** What a search found; while the next one is under way, what the last one did. */
export function useHits(q: string, filter: string): FoundHits {
  const asked = useInfiniteQuery({
    ...searchQuery(q, filter),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  const { data, error, hasNextPage, isPlaceholderData, fetchNextPage, refetch } = asked
  const hits = useMemo(() => data?.pages.flat(), [data])
  return {
    hits,
    error,
    more: hasNextPage && !isPlaceholderData,
    onMore: useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]),
    onRetry: useCallback(() => void refetch(), [refetch]),
  }
}

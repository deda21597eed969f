import { useCallback } from 'react'

interface PagedQuery {
  readonly hasNextPage: boolean
  readonly isFetching: boolean
  readonly error: Error | null
  readonly fetchNextPage: () => unknown
}

/**
 * Loads more of a list. While the list refetches, nothing more can be loaded; the function changes
 * when that is over, so that a waiting effect tries again.
 */
export function useMore({
  hasNextPage,
  isFetching,
  error,
  fetchNextPage,
}: PagedQuery): (() => void) | undefined {
  const isFree = !isFetching && error === null
  const onMore = useCallback(() => {
    if (isFree) void fetchNextPage()
  }, [isFree, fetchNextPage])
  return hasNextPage ? onMore : undefined
}

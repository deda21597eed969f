import { useCallback } from 'react'

interface Listed {
  readonly hasNextPage: boolean
  readonly isFetching: boolean
  readonly error: Error | null
  readonly fetchNextPage: () => unknown
}

/**
 * Reads more of a list. While the list is read anew nothing more of it can be asked for: it is another function once that is
 * over, so that whoever waits for more asks again.
 */
export function useMore({ hasNextPage, isFetching, error, fetchNextPage }: Listed): (() => void) | undefined {
  const isFree = !isFetching && error === null
  const onMore = useCallback(() => {
    if (isFree) void fetchNextPage()
  }, [isFree, fetchNextPage])
  return hasNextPage ? onMore : undefined
}

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useStore } from '../../store.ts'
import type { FoundConversation } from '../api/conversation-api.ts'
import { conversationsQuery } from '../queries.ts'
import { pendingDeletions } from './pending-deletions.ts'

export interface Conversations {
  /** Undefined before the first response. */
  readonly rows: readonly FoundConversation[] | undefined
  readonly total: number
  readonly error: Error | null
  readonly onMore: (() => void) | null
  readonly onRetry: () => void
}

/** Conversations, most recently changed first, without those being deleted. */
export function useConversations(text: string): Conversations {
  const query = useInfiniteQuery({ ...conversationsQuery(text), placeholderData: keepPreviousData })
  const gone = useStore(pendingDeletions)
  const { data, error, hasNextPage, fetchNextPage, refetch } = query
  const rows = useMemo(() => {
    const seen = new Set<string>()
    return data?.pages
      .flatMap(({ conversations }) => conversations)
      .filter(({ id }) => !gone.has(id) && !seen.has(id) && seen.add(id))
  }, [data, gone])
  return {
    rows,
    total: Math.max(0, (data?.pages[0]?.total ?? 0) - gone.size),
    error,
    onMore: hasNextPage ? () => void fetchNextPage({ cancelRefetch: false }) : null,
    onRetry: () => void refetch(),
  }
}

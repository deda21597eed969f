import type { TranscriptReply } from '@panoptes/schema'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { getJson } from '../../api/request.ts'
import { arrange, type Placed } from './thread.ts'

const PAGE = 200
const AGAIN_MS = 5_000
const FEW_PAGES = 3
const RECENT_MS = 600_000

export interface SessionRef {
  readonly source: string
  readonly id: string
}

export const transcriptPath = ({ source, id }: SessionRef, from: number, limit: number): string =>
  `/api/past/sessions/${encodeURIComponent(source)}/${encodeURIComponent(id)}?from=${from}&limit=${limit}`

/** A session from the page that holds message `n` on, and before it as far as someone asks. */
export function useTranscript(ref: SessionRef, n: number) {
  const start = Math.floor(n / PAGE) * PAGE
  const query = useInfiniteQuery({
    queryKey: ['transcript', ref.source, ref.id, start],
    queryFn: async ({ pageParam, signal }) => ({
      from: pageParam,
      ...(await getJson<TranscriptReply>(transcriptPath(ref, pageParam, PAGE), signal)),
    }),
    initialPageParam: start,
    getNextPageParam: (last) => last.next,
    refetchInterval: ({ state }) => (isGrowing(state.data?.pages ?? []) ? AGAIN_MS : false),
    getPreviousPageParam: (first) => (first.from > 0 ? Math.max(0, first.from - PAGE) : null),
  })
  const { data } = query
  const arranged = useMemo(() => {
    const placed = data?.pages.flatMap(({ from, messages }) =>
      messages.map((message, i): Placed => ({ n: from + i, message })),
    )
    return placed && arrange(placed, data?.pages.at(-1)?.agents ?? [])
  }, [data])
  return { query, arranged, session: data?.pages.at(-1)?.session, agents: data?.pages.at(-1)?.agents ?? [] }
}

/** Whether someone may still be writing it: then it is read again, as long as that is little. */
function isGrowing(pages: readonly TranscriptReply[]): boolean {
  const last = pages.at(-1)?.session.last_at ?? 0
  return pages.length <= FEW_PAGES && Date.now() - last < RECENT_MS
}

import type { OutlineReply, PastSession } from '@panoptes/schema'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { getJson } from '../../api/request.ts'
import { outlineQuery, pageOf, pageQuery, type SessionRef } from './pages.ts'
import { type Arranged, arrange } from './thread.ts'

/** As many pages are kept as anyone looks at within a while. */
const MOST_PAGES = 60
/** After the session has grown, so many of them are read again at once; others when they come into view. */
const READ_AGAIN = 8
const AGAIN_MS = 3_000
const RECENT_MS = 600_000

export interface TranscriptRead {
  readonly session: PastSession | undefined
  readonly outline: OutlineReply | undefined
  readonly arranged: Arranged | undefined
  readonly isRead: (page: number) => boolean
  readonly want: (page: number) => void
  readonly error: Error | null
  readonly retry: () => void
}

/** A session as far as it is looked at: pages are read as they come near, from message `n` on. */
export function useTranscript(ref: SessionRef, n: number): TranscriptRead {
  const client = useQueryClient()
  const [wanted, setWanted] = useState<readonly number[]>(() => [pageOf(n)])
  const want = useCallback(
    (page: number) =>
      setWanted((before) => (before.includes(page) ? before : [...before, page].slice(-MOST_PAGES))),
    [],
  )
  useEffect(() => want(pageOf(n)), [n, want])
  const pages = useQueries({ queries: wanted.map((page) => pageQuery(ref, page)) })
  const outline = useQuery(outlineQuery(ref)).data
  const read = pages.map((page) => page.dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` says when one of the pages is another
  const arranged = useMemo(() => {
    const known = pages.flatMap(({ data }) => data ?? [])
    const latest = pages.reduce<(typeof pages)[number] | undefined>(
      (best, page) => (page.data && page.dataUpdatedAt > (best?.dataUpdatedAt ?? 0) ? page : best),
      undefined,
    )?.data
    if (!latest) return undefined
    const messages = known.flatMap((page) => page.messages).sort((a, b) => a.n - b.n)
    return { session: latest.session, arranged: arrange(messages, latest.agents) }
  }, [read])
  const isThere = pages.flatMap((page, i) => (page.data ? [wanted[i]] : [])).join()
  const isRead = useMemo(() => {
    const read = new Set(isThere.split(',').map(Number))
    return (page: number) => isThere !== '' && read.has(page)
  }, [isThere])
  const now = useGrowth(ref, arranged?.session)
  const fingerprint = arranged?.session.fingerprint
  useEffect(() => {
    if (now === undefined || fingerprint === undefined || now === fingerprint) return
    setWanted((before) => before.slice(-READ_AGAIN))
    void client.invalidateQueries({ queryKey: ['transcript', ref.source, ref.id] })
  }, [client, ref, now, fingerprint])
  const error = pages.find((page) => page.error)?.error ?? null
  return {
    session: arranged?.session,
    outline,
    arranged: arranged?.arranged,
    isRead,
    want,
    error,
    retry: () => {
      for (const page of pages) if (page.error) void page.refetch()
    },
  }
}

/** The fingerprint of a session that someone may still be writing. */
function useGrowth(ref: SessionRef, session: PastSession | undefined): string | undefined {
  const isRecent = session !== undefined && Date.now() - (session.last_at ?? 0) < RECENT_MS
  const { data } = useQuery({
    queryKey: ['past', 'session', ref.source, ref.id],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ source: ref.source, id: ref.id, limit: '20' })
      return getJson<readonly PastSession[]>(`/api/past/sessions?${query}`, signal)
    },
    enabled: isRecent,
    refetchInterval: AGAIN_MS,
  })
  return data?.find((one) => one.id === ref.id)?.fingerprint
}

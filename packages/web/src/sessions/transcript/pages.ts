import type { OutlineReply, PastMessage, TranscriptReply } from '@panoptes/schema'
import { queryOptions } from '@tanstack/react-query'
import { getJson } from '../../api/request.ts'

/** The number of messages in a page. Pages load in any order. */
const PAGE = 200

export interface SessionRef {
  readonly source: string
  readonly id: string
}

export const pageNumber = (n: number): number => Math.floor(n / PAGE)

export const sessionPath = ({ source, id }: SessionRef): string =>
  `/api/past/sessions/${encodeURIComponent(source)}/${encodeURIComponent(id)}`

export const pageQuery = (ref: SessionRef, page: number) =>
  queryOptions({
    queryKey: ['transcript', ref.source, ref.id, 'page', page],
    queryFn: ({ signal }) => readPage(ref, page, signal),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })

/** The server splits a page with large messages into several parts. */
async function readPage(ref: SessionRef, page: number, signal: AbortSignal): Promise<TranscriptReply> {
  const end = (page + 1) * PAGE
  const messages: PastMessage[] = []
  for (let from = page * PAGE; ; ) {
    const query = `from=${from}&limit=${end - from}`
    const reply = await getJson<TranscriptReply>(`${sessionPath(ref)}?${query}`, signal)
    messages.push(...reply.messages)
    if (reply.next === null || reply.next >= end || reply.next <= from) return { ...reply, messages }
    from = reply.next
  }
}

export const outlineQuery = (ref: SessionRef) =>
  queryOptions({
    queryKey: ['transcript', ref.source, ref.id, 'outline'],
    queryFn: ({ signal }) => getJson<OutlineReply>(`${sessionPath(ref)}/outline`, signal),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })

/** A complete message, including everything that a page leaves out. */
export const wholeQuery = (ref: SessionRef, n: number) =>
  queryOptions({
    queryKey: ['transcript', ref.source, ref.id, 'message', n],
    queryFn: ({ signal }) => getJson<PastMessage>(`${sessionPath(ref)}/messages/${n}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })

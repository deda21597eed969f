import type { OutlineReply, PastMessage, TranscriptReply } from '@panoptes/schema'
import { queryOptions } from '@tanstack/react-query'
import { getJson } from '../../api/request.ts'

/** A session is read in pages of so many messages, in any order. */
const PAGE = 200

export interface SessionRef {
  readonly source: string
  readonly id: string
}

export const pageOf = (n: number): number => Math.floor(n / PAGE)

export const sessionPath = ({ source, id }: SessionRef): string =>
  `/api/past/sessions/${encodeURIComponent(source)}/${encodeURIComponent(id)}`

export const pageQuery = (ref: SessionRef, page: number) =>
  queryOptions({
    queryKey: ['transcript', ref.source, ref.id, 'page', page],
    queryFn: ({ signal }) => readPage(ref, page, signal),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })

/** Where its messages are large, the server gives a page in several parts. */
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

/** A message with all that a page leaves out of it. */
export const wholeQuery = (ref: SessionRef, n: number) =>
  queryOptions({
    queryKey: ['transcript', ref.source, ref.id, 'message', n],
    queryFn: ({ signal }) => getJson<PastMessage>(`${sessionPath(ref)}/messages/${n}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })

import type { Timeline } from '@panoptes/schema'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { PastSource } from '../data/source.ts'

const SLICES = 160
const FRESH_MS = 3_000

export interface Span {
  readonly from: number
  readonly to: number
}

/** A time range that ends now and advances slice by slice; off the live edge it stays as long as it contains the moment. */
export function useLiveSpan(length: number, at: number | null): Span {
  const slice = Math.max(1_000, Math.round(length / SLICES))
  const [to, setTo] = useState(() => (at === null ? Date.now() : findEndNear(at, length)))
  const live = at === null
  useEffect(() => {
    if (!live) return
    setTo(Date.now())
    const timer = setInterval(() => setTo(Date.now()), Math.min(slice, FRESH_MS))
    return () => clearInterval(timer)
  }, [live, slice])
  useEffect(() => {
    if (at !== null)
      setTo((before) => (at > before || at < before - length ? findEndNear(at, length) : before))
  }, [at, length])
  return { from: to - length, to }
}

const findEndNear = (at: number, length: number): number => Math.min(Date.now(), at + Math.round(length / 2))

/** The bars and marks of a time range. */
export function useTimeline(source: PastSource, span: Span): Timeline | null {
  const from = Math.round(span.from)
  const to = Math.round(span.to)
  const query = useQuery({
    queryKey: ['timeline', source.live, from, to],
    queryFn: ({ signal }) => source.timeline(from, to, SLICES, signal),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })
  // While the server does not respond, the last data stays.
  const latest = useRef<Timeline | null>(null)
  if (query.data) latest.current = query.data
  return latest.current
}

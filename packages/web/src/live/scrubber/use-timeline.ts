import type { Timeline } from '@panoptes/schema'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { PastSource } from '../data/source.ts'

const SLICES = 160
const FRESH_MS = 3_000

export interface Span {
  readonly from: number
  readonly to: number
}

/** A span that ends now, and moves on slice by slice while it is followed. */
export function useLiveSpan(length: number, follow: boolean, centre: number | null): Span {
  const slice = Math.max(1_000, Math.round(length / SLICES))
  const [to, setTo] = useState(() =>
    centre === null ? Date.now() : Math.min(Date.now(), centre + Math.round(length / 2)),
  )
  useEffect(() => {
    if (!follow) return
    setTo(Date.now())
    const timer = setInterval(() => setTo(Date.now()), Math.min(slice, FRESH_MS))
    return () => clearInterval(timer)
  }, [follow, slice])
  return { from: to - length, to }
}

/** The bars and marks of a span. */
export function useTimeline(source: PastSource, span: Span): Timeline | null {
  const from = Math.round(span.from)
  const to = Math.round(span.to)
  const query = useQuery({
    queryKey: ['timeline', source.live, from, to],
    queryFn: ({ signal }) => source.timeline(from, to, SLICES, signal),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })
  return query.data ?? null
}

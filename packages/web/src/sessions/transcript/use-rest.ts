import type { ContentBlock } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { wholeQuery } from './pages.ts'
import { useReading } from './reading.ts'
import type { Stored } from './thread.ts'

export type Rest = Pick<Stored, 'n' | 'at'>

interface RestState {
  readonly block: ContentBlock | undefined
  readonly isReading: boolean
  readonly error: Error | null
  readonly read: () => void
}

/** What a page leaves out of a long block, once someone asks for it. */
export function useRest(rest: Rest): RestState {
  const [asked, setAsked] = useState(false)
  const { ref } = useReading()
  const { data, isFetching, error, refetch } = useQuery({ ...wholeQuery(ref, rest.n), enabled: asked })
  return {
    block: data?.content[rest.at],
    isReading: isFetching,
    error,
    read: () => (asked ? void refetch() : setAsked(true)),
  }
}

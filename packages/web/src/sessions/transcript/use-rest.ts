import type { ContentBlock } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { wholeQuery } from './pages.ts'
import { useReading } from './reading-context.ts'
import type { Stored } from './thread.ts'

export type Rest = Pick<Stored, 'n' | 'at'>

interface RestState {
  readonly block: ContentBlock | undefined
  readonly isReading: boolean
  readonly error: Error | null
  readonly read: () => void
}

/** Loads on demand what a page leaves out of a long block. */
export function useRest(rest: Rest): RestState {
  const [isWanted, setWanted] = useState(false)
  const { ref } = useReading()
  const { data, isFetching, error, refetch } = useQuery({ ...wholeQuery(ref, rest.n), enabled: isWanted })
  return {
    block: data?.content[rest.at],
    isReading: isFetching,
    error,
    read: () => (isWanted ? void refetch() : setWanted(true)),
  }
}

import type { OutlinedAgent } from '@panoptes/schema'
import { createContext, useContext } from 'react'
import type { SessionRef } from './pages.ts'
import type { Arranged } from './thread.ts'

/** What every block of an open transcript may need to know of the whole. */
export interface ReadingState {
  readonly ref: SessionRef
  /** The session's key in Live. */
  readonly session: string
  /** The computer it is from, where it may be another one's. */
  readonly host: string | undefined
  readonly arranged: Arranged
  readonly agents: ReadonlyMap<string, OutlinedAgent>
  /** Agents whose call is nowhere in the session, by the agent that made them. */
  readonly loose: ReadonlyMap<string, readonly OutlinedAgent[]>
  /** The message that was asked for, where it shows, and the agents it is under. */
  readonly target: number | null
  readonly above: ReadonlySet<string>
  /** The message that keys act on. */
  readonly current: number | null
  /** What scrolls. */
  readonly scroll: HTMLElement | null
  readonly isRead: (page: number) => boolean
  readonly want: (page: number) => void
  readonly copy: (n: number) => void
}

export const Reading = createContext<ReadingState | null>(null)

export function useReading(): ReadingState {
  const reading = useContext(Reading)
  if (reading === null) throw new Error('a block of a transcript outside of one')
  return reading
}

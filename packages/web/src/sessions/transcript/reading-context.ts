import type { OutlinedAgent } from '@panoptes/schema'
import { createContext, useContext } from 'react'
import type { SessionRef } from './pages.ts'
import type { ThreadTree } from './thread.ts'

/** State of the open transcript that its blocks share. */
export interface ReadingState {
  readonly ref: SessionRef
  /** The session's key in Live. */
  readonly session: string
  /** The computer of the session, if it may differ from the reader's. */
  readonly host: string | undefined
  readonly arranged: ThreadTree
  readonly agents: ReadonlyMap<string, OutlinedAgent>
  /** Agents whose call is missing from the session, by the agent that created them. */
  readonly loose: ReadonlyMap<string, readonly OutlinedAgent[]>
  /** The message named in the address, at the place where it is shown, and the agents around it. */
  readonly target: number | null
  readonly above: ReadonlySet<string>
  /** The message that shortcuts act on. */
  readonly current: number | null
  /** The element that scrolls. */
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

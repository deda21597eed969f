import { createContext } from 'react'

/** What every block of an open transcript may need to know of the whole. */
export interface ReadingState {
  /** The session's key in Live. */
  readonly session: string
  /** The message that was asked for, where it shows. */
  readonly target: number | null
  readonly more: boolean
  readonly readOn: () => void
}

export const Reading = createContext<ReadingState>({
  session: '',
  target: null,
  more: false,
  readOn: () => undefined,
})

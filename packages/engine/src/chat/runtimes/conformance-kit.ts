import type { RuntimeAdapter } from './port.ts'

/**
 * A script for the backend of an adapter. The backend sends the text first and then acts as `after` requires.
 */
export interface Act {
  readonly say?: string
  /** The number of chunks the text is cut into; 3 by default. */
  readonly pieces?: number
  /** The thoughts that it sends before its answer. */
  readonly think?: string
  /**
   * Defaults to `ends`. `hangs` stays silent without ending, `dies` drops the connection, `garbles`
   * sends unreadable data.
   */
  readonly after?: 'ends' | 'hangs' | 'dies' | 'garbles'
  /** Refuses with this status instead of doing anything else. */
  readonly refuse?: 401 | 429 | 500
  /**
   * Asks for approval before its text. It sends `say` if the action was approved, and this text if
   * not.
   */
  readonly unlessAllowed?: string
}

/** The backend of an adapter, following a script. */
export interface ScriptedRuntime {
  readonly adapter: RuntimeAdapter
  /** Scripts for the next requests, in order; the last one repeats. */
  readonly play: (...acts: readonly Act[]) => void
  /** Returns the text of each request, oldest first. */
  readonly requestTexts: () => readonly string[]
  /** Returns how often the action that needs approval was carried out. */
  readonly approvedActions: () => number
  /** The number of answers in progress, as the backend sees it. */
  readonly activeAnswers: () => number
  readonly close: () => Promise<void>
}

export interface RuntimeKit {
  readonly start: () => Promise<ScriptedRuntime>
  /** An adapter for a backend that does not exist. */
  readonly absent: () => Promise<RuntimeAdapter>
  /** Lists what its protocol cannot express; the conformance suite skips those tests. */
  readonly lacks?: readonly ('empty' | 'think' | 'garbles' | 'approval' | '401' | '429' | '500')[]
}

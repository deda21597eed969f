import type { RuntimeAdapter } from './port.ts'

/** What whoever is behind an adapter does when it is asked. It says its text first, then does as `after` says. */
export interface Act {
  readonly say?: string
  /** Pieces that the text is cut into; 3 where nothing is said. */
  readonly pieces?: number
  /** What it thinks before it speaks. */
  readonly think?: string
  /** `ends` where nothing is said. Who hangs says no more, and does not end; who dies is cut off; who garbles sends what nobody can read. */
  readonly after?: 'ends' | 'hangs' | 'dies' | 'garbles'
  /** It refuses, in place of everything else. */
  readonly refuse?: 401 | 429 | 500
  /** Before its text it wants to do something that a person has to allow. It says `say` where that was done, this where not. */
  readonly unlessAllowed?: string
}

/** Whoever is behind an adapter, doing what it is told. */
export interface PlayedRuntime {
  readonly adapter: RuntimeAdapter
  /** What it does when it is asked next, one after the other; the last one stays. */
  readonly play: (...acts: readonly Act[]) => void
  /** What it was sent, one text for each time it was asked for an answer, the oldest first. */
  readonly asked: () => readonly string[]
  /** How often that which a person has to allow was done. */
  readonly done: () => number
  /** Answers that it is still at, as it sees it. */
  readonly working: () => number
  readonly close: () => Promise<void>
}

export interface RuntimeKit {
  readonly start: () => Promise<PlayedRuntime>
  /** An adapter for something that is not there. */
  readonly absent: () => Promise<RuntimeAdapter>
  /** What its wire has no way to do, and the battery therefore leaves out. */
  readonly lacks?: readonly ('empty' | 'think' | 'garbles' | 'approval' | '401' | '429' | '500')[]
}

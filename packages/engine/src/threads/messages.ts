import type { Failure } from '@panoptes/schema'

export type Request =
  | { readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly stop: number }

export type Reply =
  | { readonly id: number; readonly done: number; readonly total: number }
  /** The beginning of a list that is too long to be taken over in one turn; the rest follows. */
  | { readonly id: number; readonly part: readonly unknown[] }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: Failure }

/** What a caller may say of a long call: tell me how far it is, and stop it. */
export interface Work {
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** The same on the thread's side. */
export interface Job {
  readonly progress: (done: number, total: number) => void
  readonly stopped: () => boolean
  /** Sends a part of a long list ahead of the answer. */
  readonly part: (part: readonly unknown[]) => void
}

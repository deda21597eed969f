import type { Failure } from '@panoptes/schema'

export type Request =
  | { readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly stop: number }

export type Reply =
  | { readonly id: number; readonly done: number; readonly total: number }
  /** The beginning of a list that is too long to transfer at once. The rest follows. */
  | { readonly id: number; readonly part: readonly unknown[] }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: Failure }

/** Holds what a caller may pass to a long call: a callback for its progress, and a signal to stop it. */
export interface Work {
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Holds the same options on the thread's side. */
export interface Job {
  readonly progress: (done: number, total: number) => void
  readonly stopped: () => boolean
  /** Sends a part of a long list before the answer. */
  readonly part: (part: readonly unknown[]) => void
}

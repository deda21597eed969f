import type { Forgotten } from '@panoptes/engine/store'
import type { Failure, SessionRef } from '@panoptes/schema'

export interface WorkerSetup {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The file with the archive of sessions, if there is one. */
  readonly history: string | undefined
  /** Who is not to be told of, whatever the sources have. */
  readonly forgotten: Forgotten
}

export interface Looked {
  /** How many are to be told, or said to be gone. */
  readonly changed: number
  /** When what changed and was told just now is to be told again, in milliseconds. */
  readonly again_ms: number | null
  readonly problem: Failure | null
}

/** Some lines of the sessions that are told. */
export interface Batch {
  readonly lines: string
  /** Of which sessions there is something in it, and where its lines of each begin. */
  readonly sessions: readonly { readonly id: string; readonly from: number }[]
  /** Which of them are told to their end with it, and as what; those that are said to be gone have no fingerprint. */
  readonly told: readonly { readonly id: string; readonly fingerprint: string | null }[]
  /** How many are done with it, also those that could not be read. */
  readonly done: number
  readonly problem: Failure | null
}

/** What the thread that reads sessions for a receiver can be asked. */
export interface CopierCalls {
  /** Looks what changed in a source; patiently, what was told just now is left for later. */
  look(source: string, known: ReadonlyMap<string, string>, patient: boolean): Looked
  /** The next lines of what changed; null when all of it was told. */
  next(): Batch | null
  /** The receiver does not take this one: it is not told before it changed. */
  refused(source: string, id: string): null
  /** The receiver did not get all of this one: it is told whole the next time. The answer is whether it was not. */
  missed(source: string, id: string): boolean
  forget(sessions: readonly SessionRef[]): null
  close(): null
}

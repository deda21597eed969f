import type { PastAgent, PastMessage, PastSession } from '@panoptes/schema'
import type { Unread } from './unread.ts'

/** A session with all that is known of it before its messages. */
export interface Exported {
  readonly session: PastSession
  readonly agents: readonly PastAgent[]
}

/** The tool of each call, for when its result comes. */
export type CallNames = ReadonlyMap<string, { readonly tool: string }>

/** How one format is written, piece by piece. Every text it is given is free of secrets already. */
export interface Renderer {
  /** Whether the messages of an agent stand where it was called; otherwise all stand in the order they are read. */
  readonly nested: boolean
  readonly head: (of: Exported) => string
  /** `depth` is 0 for the session's own messages. */
  readonly message: (message: PastMessage, depth: number, calls: CallNames) => string
  readonly agentBegins: (agent: PastAgent, depth: number) => string
  readonly agentEnds: (agent: PastAgent, depth: number) => string
  readonly foot: (unread: Unread) => string
}

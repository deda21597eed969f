import type { PastAgent, PastMessage, PastSession } from '@panoptes/schema'
import type { Unread } from './read-errors.ts'

/** A session with everything known before its messages. */
export interface Exported {
  readonly session: PastSession
  readonly agents: readonly PastAgent[]
}

/** The tool of each call, needed when its result comes. */
export type CallNames = ReadonlyMap<string, { readonly tool: string }>

/** Renders one format, piece by piece. All texts it receives are already free of secrets. */
export interface Renderer {
  /** True when an agent's messages are nested where it was called; otherwise all follow in reading order. */
  readonly nested: boolean
  readonly head: (of: Exported) => string
  /** `depth` is 0 for the session's own messages. */
  readonly message: (message: PastMessage, depth: number, calls: CallNames) => string
  readonly agentBegins: (agent: PastAgent, depth: number) => string
  readonly agentEnds: (agent: PastAgent, depth: number) => string
  readonly foot: (unread: Unread) => string
}

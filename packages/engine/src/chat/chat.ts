import type { ConversationChange, ConversationQuery, ListedConversations } from '@panoptes/engine/store'
import type {
  ChatEvent,
  ChatInput,
  Conversation,
  ConversationHead,
  RememberedFact,
  Result,
  RuntimeHealth,
  RuntimeId,
  SentContext,
} from '@panoptes/schema'

/** The events of a run, starting at a position. */
export interface RunStream {
  readonly run_id: string
  readonly events: (signal: AbortSignal) => AsyncIterable<ChatEvent>
}

/** The owner of something in a team. */
export interface Ownership {
  readonly owner?: string | null | undefined
  /** The owner's display name. */
  readonly ownerName?: string | undefined
}

/** A chat with one context for any runtime. No method throws. */
export interface Chat {
  readonly create: (
    input: {
      readonly title?: string | undefined
      readonly runtime?: RuntimeId | undefined
    } & Ownership,
  ) => Promise<Result<ConversationHead>>
  readonly get: (id: string) => Promise<Result<Conversation>>
  /** The conversation without its messages. */
  readonly head: (id: string) => Promise<Result<ConversationHead>>
  readonly list: (query: ConversationQuery) => Promise<Result<ListedConversations>>
  readonly change: (id: string, change: ConversationChange) => Promise<Result<ConversationHead>>
  readonly fork: (id: string, message: string, whose?: Ownership) => Promise<Result<ConversationHead>>
  /**
   * Begins a run, which continues whether or not somebody reads it. Fails with `busy` while another
   * run is active.
   */
  readonly chat: (id: string, input: ChatInput) => Promise<Result<RunStream>>
  /**
   * Cancels the active run, in whichever process it runs; its stream then ends with `done`. Fails
   * with `not_found` if nothing runs.
   */
  readonly cancel: (id: string) => Promise<Result<null>>
  /**
   * Streams the newest run of a conversation or, given the last event that was seen, everything
   * after that event in its run.
   */
  readonly stream: (id: string, lastEventId?: string) => Promise<Result<RunStream>>
  readonly answer: (id: string, request: string, choice: string) => Promise<Result<null>>
  /** Returns what was sent along with a user message. */
  readonly context: (id: string, message: string) => Promise<Result<SentContext>>
  readonly runtimes: (signal?: AbortSignal) => Promise<readonly RuntimeHealth[]>
  /** Each owner has their own facts. */
  readonly facts: (owner?: string | null) => Promise<Result<readonly RememberedFact[]>>
  readonly remember: (text: string, owner?: string | null) => Promise<Result<RememberedFact>>
  readonly forgetFact: (id: string, owner?: string | null) => Promise<Result<null>>
  /** Stops active runs and everything that was started. */
  readonly close: () => Promise<void>
}

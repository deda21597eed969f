import type { ConversationChange, ConversationQuery, ListedConversations } from '@panoptes/engine/ledger'
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

/** A stream of a run, from a place in it on. */
export interface Streamed {
  readonly run_id: string
  readonly events: (signal: AbortSignal) => AsyncIterable<ChatEvent>
}

/** Whose something is in a team. */
export interface Whose {
  readonly owner?: string | null | undefined
  /** As a person reads it. */
  readonly ownerName?: string | undefined
}

/** One context, any runtime. No method throws. */
export interface Chat {
  readonly create: (
    input: {
      readonly title?: string | undefined
      readonly runtime?: RuntimeId | undefined
    } & Whose,
  ) => Promise<Result<ConversationHead>>
  readonly get: (id: string) => Promise<Result<Conversation>>
  /** Without its messages. */
  readonly head: (id: string) => Promise<Result<ConversationHead>>
  readonly list: (query: ConversationQuery) => Promise<Result<ListedConversations>>
  readonly change: (id: string, change: ConversationChange) => Promise<Result<ConversationHead>>
  readonly fork: (id: string, message: string, whose?: Whose) => Promise<Result<ConversationHead>>
  /** Begins a run, which goes on whoever reads it; `busy` while another one does. */
  readonly chat: (id: string, input: ChatInput) => Promise<Result<Streamed>>
  /** Ends with `done` in its stream, in whichever process it goes on; `not_found` where nothing runs. */
  readonly cancel: (id: string) => Promise<Result<null>>
  /** The newest run of a conversation, or the one that the last event that was seen is of, after that. */
  readonly stream: (id: string, lastEventId?: string) => Promise<Result<Streamed>>
  readonly answer: (id: string, request: string, choice: string) => Promise<Result<null>>
  /** What was sent with a message of the person's. */
  readonly context: (id: string, message: string) => Promise<Result<SentContext>>
  readonly runtimes: (signal?: AbortSignal) => Promise<readonly RuntimeHealth[]>
  /** Each owner has facts of their own. */
  readonly facts: (owner?: string | null) => Promise<Result<readonly RememberedFact[]>>
  readonly remember: (text: string, owner?: string | null) => Promise<Result<RememberedFact>>
  readonly forgetFact: (id: string, owner?: string | null) => Promise<Result<null>>
  /** Stops what runs, and everything that was started. */
  readonly close: () => Promise<void>
}

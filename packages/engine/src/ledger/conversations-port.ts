import type {
  AgentStates,
  Compartment,
  ConversationHead,
  FileInput,
  RememberedFact,
  Result,
  RuntimeId,
  SentContext,
  StoredChatMessage,
} from '@panoptes/schema'
import type { Rows } from './accounts-port.ts'

/** What runtimes are told before anything else. It stays the same, byte for byte, until a new epoch begins. */
export interface ChatEpoch {
  /** Frozen sections as they are sent. */
  readonly baseline: string
  readonly sections: SentContext['sections']
  /** Messages up to this one are told by the summary alone; null while all of them are sent. */
  readonly summarised_to: string | null
  readonly summary: string | null
  /** How many of those messages the summary was made without, where there was no time to read them all. */
  readonly unread?: number | undefined
  /** Names of things that had no room in the frozen sections, so that they are not taken for new. */
  readonly untold?: readonly string[] | undefined
  /** A summary that was made meanwhile, for the next epoch. */
  readonly next?: NextSummary | undefined
}

/** What was said up to and including a message. */
export interface NextSummary {
  readonly summary: string
  readonly to: string
}

/** What was sent of one message of the person's, so that it is sent the same again. */
export interface SentMessage {
  readonly context: SentContext
  /** The words around the message that were sent with it. */
  readonly text: string
}

export interface KeptConversation extends ConversationHead {
  readonly agent_state: AgentStates
  readonly state_revision: number
  readonly messages: readonly StoredChatMessage[]
  readonly epoch: ChatEpoch | null
}

/** The end of a conversation, as much as goes on: all that its epoch still sends, or the last of it where that is too much. */
export interface ConversationWindow extends KeptConversation {
  /** Without attachments. */
  readonly messages: readonly StoredChatMessage[]
  /** The words that were sent before a message of the person's, by its id. */
  readonly preambles: ReadonlyMap<string, string>
  /** Messages before the first one here. */
  readonly earlier: number
  /** The last of them; null where there is none. */
  readonly preceding: string | null
  /** Those of them that the epoch still sends, and that were too much. */
  readonly skipped: number
}

export interface WindowQuery {
  /** Of messages with the words sent before them; one message is always told. */
  readonly chars: number
  /** As if this message and what follows it were gone. */
  readonly before?: string | undefined
}

export interface SaidQuery {
  /** The message after which it begins; null from the first on. */
  readonly after: string | null
  /** The last one. */
  readonly to: string
  /** One message is always told. */
  readonly chars: number
}

export type SaidMessage = Pick<StoredChatMessage, 'id' | 'role' | 'content' | 'ts'>

export interface ConversationQuery {
  /** Looked for in titles and messages, without regard to case. */
  readonly text?: string | undefined
  readonly limit: number
  /** Only those last changed before. */
  readonly before?: number | undefined
  /** Also those changed at that very moment that are listed behind this one. */
  readonly beforeId?: string | undefined
  /** Only those that this owner may read; null for those that everybody may. Without it all of them. */
  readonly visibleTo?: string | null | undefined
  /** How long messages may be looked through; titles always are. */
  readonly searchMs?: number | undefined
}

export interface ListedConversations extends Rows<ListedConversation> {
  /** There was no time to look through all messages. */
  readonly is_cut?: boolean | undefined
}

/** What is not named stays as it is; but a model that was chosen goes with the runtime it was chosen for. */
export interface ConversationChange {
  readonly title?: string | undefined
  readonly runtime?: RuntimeId | undefined
  readonly model?: string | null | undefined
  readonly shared?: boolean | undefined
}

export interface ListedConversation extends ConversationHead {
  readonly found: { readonly message_id: string; readonly snippet: string } | null
}

export interface RunBeginning {
  readonly conversation: string
  readonly run_id: string
  readonly runtime: RuntimeId
  /** The model that the person chose; null or left out where it is left to the runtime. */
  readonly model?: string | null | undefined
  readonly user: StoredChatMessage
  readonly answer: StoredChatMessage
  readonly files: readonly FileInput[]
  /** The message of the person's that this one takes the place of; it and what follows it go. */
  readonly replaces?: string | undefined
  /** Given to a conversation that has none yet. */
  readonly title?: string | undefined
}

/** The answer as it stands, while the run goes on. */
export interface RunProgress {
  readonly conversation: string
  readonly run_id: string
  readonly answer: StoredChatMessage
  /** The events since the last time, as lines of JSON. */
  readonly events: string
}

export interface RunEnding extends RunProgress {
  /** Only the compartment of the runtime that answered, and only where it is of the revision that the run began with. */
  readonly compartment?:
    | { readonly runtime: RuntimeId; readonly was: number; readonly value: Compartment }
    | undefined
}

/** What a person wants of a run that goes on in another process than the one that was asked. */
export type RunWish =
  | { readonly wants: 'stop' }
  | { readonly wants: 'answer'; readonly request: string; readonly choice: string }

/**
 * Conversations of a person with runtimes: what both said, and what each runtime needs to go on. They are the person's own, no part
 * of the log, and stay until they are forgotten. No method throws.
 */
export interface Conversations {
  create(head: ConversationHead): Promise<Result<null>>
  get(id: string): Promise<Result<KeptConversation | null>>
  /** Without a look at its messages. */
  head(id: string): Promise<Result<ConversationHead | null>>
  /** The last changed first. */
  list(query: ConversationQuery): Promise<Result<ListedConversations>>
  change(id: string, change: ConversationChange): Promise<Result<ConversationHead>>
  /** A new one with the messages up to and including one of them; runtimes begin anew in it. */
  fork(id: string, message: string, head: ConversationHead): Promise<Result<null>>
  /** `busy` while another run of the conversation goes on. Runtimes that have seen what is replaced begin anew. */
  begin(run: RunBeginning): Promise<Result<{ readonly state_revision: number }>>
  /** `invalid` where the run has ended already. */
  progress(run: RunProgress): Promise<Result<null>>
  /**
   * `invalid` where the run has ended already, or the compartment was written by somebody else meanwhile, or is not that of the
   * runtime that answered: nothing of the ending is stored then.
   */
  end(run: RunEnding): Promise<Result<{ readonly state_revision: number }>>
  /** Events of a run as lines of JSON; null where they are not kept any more. */
  events(run: string): Promise<Result<{ readonly conversation: string; readonly events: string } | null>>
  /**
   * Runs that nobody else works on: those that had not ended when the process did that they went on in, and this one's own, which
   * knows itself which of them go on. With `others` none of its own.
   */
  unended(options?: {
    readonly others?: boolean | undefined
  }): Promise<Result<readonly { readonly conversation: string; readonly run_id: string }[]>>
  /**
   * For the process that the run goes on in, which takes it; false where the same was wished for already and not taken yet, and of answers
   * to one question the first is kept. `not_found` where no other process works on the run.
   */
  wish(conversation: string, run: string, wish: RunWish): Promise<Result<boolean>>
  /** In the order they were wished, each once. */
  takeWishes(run: string): Promise<Result<readonly RunWish[]>>
  window(id: string, query: WindowQuery): Promise<Result<ConversationWindow | null>>
  /** What was said in a part of a conversation, the oldest first; empty where it ends. */
  said(id: string, query: SaidQuery): Promise<Result<readonly SaidMessage[]>>
  setEpoch(id: string, epoch: ChatEpoch | null): Promise<Result<null>>
  /** Nothing happens where the epoch has gone past it, or its message is gone. */
  setNextSummary(id: string, next: NextSummary): Promise<Result<null>>
  /** What was sent with a message of the person's. */
  setSent(message: string, sent: SentMessage): Promise<Result<null>>
  sent(conversation: string, message: string): Promise<Result<SentMessage | null>>
  files(message: string): Promise<Result<readonly FileInput[]>>
  /** Those of one owner; without one those that are nobody's in particular. */
  facts(owner?: string | null): Promise<Result<readonly RememberedFact[]>>
  remember(fact: RememberedFact, owner?: string | null): Promise<Result<null>>
  /** `told` is how conversations told it: it is taken out of what they send again. */
  forgetFact(id: string, told: string): Promise<Result<boolean>>
}

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

/** The context that runtimes receive first. It stays identical, byte for byte, until a new epoch begins. */
export interface ChatEpoch {
  /** The frozen sections as they are sent. */
  readonly baseline: string
  readonly sections: SentContext['sections']
  /**
   * The summary replaces the messages up to and including this one. It is null while all messages are sent.
   */
  readonly summarised_to: string | null
  readonly summary: string | null
  /** Counts the messages up to there that the summary left out because there was no time to read them all. */
  readonly unread?: number | undefined
  /** Names of items that did not fit into the frozen sections, so that they are not mistaken for new ones. */
  readonly untold?: readonly string[] | undefined
  /** A summary that was prepared in the meantime, for the next epoch. */
  readonly next?: NextSummary | undefined
}

/** A summary of everything up to and including a message. */
export interface NextSummary {
  readonly summary: string
  readonly to: string
}

/** Holds what was sent for one of the person's messages, so that it is sent identically again. */
export interface SentMessage {
  readonly context: SentContext
  /** The context that was sent with the message. */
  readonly text: string
}

export interface StoredConversation extends ConversationHead {
  readonly agent_state: AgentStates
  readonly state_revision: number
  readonly messages: readonly StoredChatMessage[]
  readonly epoch: ChatEpoch | null
}

/**
 * The end of a conversation that is still in use: everything that its epoch sends, or the last part of it
 * when that is too much.
 */
export interface ConversationWindow extends StoredConversation {
  /** Messages without their attachments. */
  readonly messages: readonly StoredChatMessage[]
  /** The context that was sent before each of the person's messages, by message id. */
  readonly preambles: ReadonlyMap<string, string>
  /** Counts the messages before the first one here. */
  readonly earlier: number
  /** The id of the last of those messages, or null when there are none. */
  readonly preceding: string | null
  /** Counts those of the earlier messages that the epoch still sends, but that did not fit. */
  readonly skipped: number
}

export interface WindowQuery {
  /** The most characters of messages and their preambles. At least one message is always included. */
  readonly chars: number
  /** Reads as if this message and everything after it did not exist. */
  readonly before?: string | undefined
}

export interface MessagesQuery {
  /** The message after which the range begins, or null for the start of the conversation. */
  readonly after: string | null
  /** The last message of the range. */
  readonly to: string
  /** The most characters. At least one message is always included. */
  readonly chars: number
}

export type ConversationMessage = Pick<StoredChatMessage, 'id' | 'role' | 'content' | 'ts'>

export interface ConversationQuery {
  /** The text is searched in titles and messages, ignoring case. */
  readonly text?: string | undefined
  readonly limit: number
  /** This selects only conversations that were last changed before this time. */
  readonly before?: number | undefined
  /** This also selects conversations that were changed at exactly that time and sort after this id. */
  readonly beforeId?: string | undefined
  /**
   * This selects only conversations that this owner may read; null selects those that everybody may read.
   * Without it, all are listed.
   */
  readonly visibleTo?: string | null | undefined
  /** Messages are searched for at most this long. Titles are always searched. */
  readonly searchMs?: number | undefined
}

export interface ListedConversations extends Rows<ListedConversation> {
  /** This is true when there was no time to search all messages. */
  readonly is_cut?: boolean | undefined
}

/**
 * Fields that are left out stay unchanged, except that changing the runtime also clears the model chosen for
 * it.
 */
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
  /** The model that the person chose. Null or missing leaves the choice to the runtime. */
  readonly model?: string | null | undefined
  readonly user: StoredChatMessage
  readonly answer: StoredChatMessage
  readonly files: readonly FileInput[]
  /** The message of the person that this one replaces. That message and everything after it are deleted. */
  readonly replaces?: string | undefined
  /** The title for a conversation that has none yet. */
  readonly title?: string | undefined
}

/** The answer so far, while the run goes on. */
export interface RunProgress {
  readonly conversation: string
  readonly run_id: string
  readonly answer: StoredChatMessage
  /** The events since the last report, as lines of JSON. */
  readonly events: string
}

export interface RunEnding extends RunProgress {
  /**
   * Holds the compartment of the runtime that answered. It is stored only if it still has the revision that
   * the run began with.
   */
  readonly compartment?:
    | { readonly runtime: RuntimeId; readonly was: number; readonly value: Compartment }
    | undefined
}

/** Describes what a person wants from a run that another process executes. */
export type RemoteCommand =
  | { readonly wants: 'stop' }
  | { readonly wants: 'answer'; readonly request: string; readonly choice: string }

/**
 * Conversations between a person and runtimes: what both wrote, and what each runtime needs to continue. They
 * belong to the person, are not part of the log, and stay until they are forgotten. No method throws.
 */
export interface Conversations {
  create(head: ConversationHead): Promise<Result<null>>
  get(id: string): Promise<Result<StoredConversation | null>>
  /** Reads the conversation without its messages. */
  head(id: string): Promise<Result<ConversationHead | null>>
  /** Lists conversations, the most recently changed first. */
  list(query: ConversationQuery): Promise<Result<ListedConversations>>
  change(id: string, change: ConversationChange): Promise<Result<ConversationHead>>
  /** Creates a conversation from the messages up to and including one of them. Runtimes start fresh in it. */
  fork(id: string, message: string, head: ConversationHead): Promise<Result<null>>
  /**
   * Fails with `busy` while another run of the conversation goes on. Runtimes that have seen a replaced
   * message start fresh.
   */
  begin(run: RunBeginning): Promise<Result<{ readonly state_revision: number }>>
  /** Fails with `invalid` when the run has already ended. */
  progress(run: RunProgress): Promise<Result<null>>
  /**
   * Fails with `invalid` and stores nothing when the run has already ended, when another process wrote the
   * compartment meanwhile, or when the compartment does not belong to the runtime that answered.
   */
  end(run: RunEnding): Promise<Result<{ readonly state_revision: number }>>
  /** Returns the events of a run as lines of JSON, or null when they are no longer stored. */
  events(run: string): Promise<Result<{ readonly conversation: string; readonly events: string } | null>>
  /**
   * Runs that no live process works on: those whose process is gone, and this process's own runs, because it
   * knows which of them still go on. With `others`, its own runs are left out.
   */
  unended(options?: {
    readonly others?: boolean | undefined
  }): Promise<Result<readonly { readonly conversation: string; readonly run_id: string }[]>>
  /**
   * Leaves a command for the process that executes the run. Returns false when the same command is already
   * waiting; of several answers to one question the first wins. Fails with `not_found` when no other process
   * executes the run.
   */
  sendRemoteCommand(conversation: string, run: string, command: RemoteCommand): Promise<Result<boolean>>
  /** Returns the commands in the order they were given, each once. */
  takeRemoteCommands(run: string): Promise<Result<readonly RemoteCommand[]>>
  window(id: string, query: WindowQuery): Promise<Result<ConversationWindow | null>>
  /** Reads the messages of a part of a conversation, oldest first. Returns an empty list at its end. */
  said(id: string, query: MessagesQuery): Promise<Result<readonly ConversationMessage[]>>
  setEpoch(id: string, epoch: ChatEpoch | null): Promise<Result<null>>
  /** Does nothing when the epoch is already past that summary or its message is gone. */
  setNextSummary(id: string, next: NextSummary): Promise<Result<null>>
  /** Stores what was sent with one of the person's messages. */
  setSent(message: string, sent: SentMessage): Promise<Result<null>>
  sent(conversation: string, message: string): Promise<Result<SentMessage | null>>
  files(message: string): Promise<Result<readonly FileInput[]>>
  /** Lists the facts of one owner, or without an owner those that belong to nobody in particular. */
  facts(owner?: string | null): Promise<Result<readonly RememberedFact[]>>
  remember(fact: RememberedFact, owner?: string | null): Promise<Result<null>>
  /** `text` is how conversations phrased the fact. It is removed from the context that they send again. */
  forgetFact(id: string, text: string): Promise<Result<boolean>>
}

import type {
  ChatAttachment,
  ChatErrorCode,
  ChatUsage,
  Compartment,
  FileInput,
  ProgressKind,
  ProgressStatus,
  RuntimeHealth,
  RuntimeId,
  SkillShortlist,
  TaskGraph,
} from '@panoptes/schema'

/** An earlier message and the context sent with it. */
export interface PriorMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly runtime: RuntimeId | null
  /** For user messages, the preamble that was sent before it. */
  readonly preamble: string | null
}

/** One message with everything that belongs to it. An adapter builds no context of its own. */
export interface RuntimeRequest {
  readonly conversation_id: string
  readonly run_id: string
  readonly message_id: string
  readonly user_message_id: string
  readonly model: string | null
  readonly message: string
  readonly files: readonly FileInput[]
  /** Sent before everything else; identical bytes within an epoch of the conversation. */
  readonly baseline: string
  /** Sent with this message: memory, skills, plan, template and the text of files. May be empty. */
  readonly preamble: string
  /** All messages of this epoch, for runtimes that remember nothing. */
  readonly history: readonly PriorMessage[]
  /** The messages since this runtime was last asked, for runtimes that remember. */
  readonly handover: readonly PriorMessage[]
  readonly skills: SkillShortlist
  readonly plan: TaskGraph
  /** The state this runtime left to continue from; null if it has not answered here before. */
  readonly continuity: Compartment | null
  /** The working folder. */
  readonly folder: string
  /** The owner of the conversation; null or omitted if it has none. */
  readonly owner?: string | null | undefined
  /** The text must not be recorded anywhere else. */
  readonly isPrivate?: boolean | undefined
}

export interface RuntimeProgress {
  readonly type: 'progress'
  readonly node_id: string
  readonly parent_id?: string | undefined
  readonly kind: Exclude<ProgressKind, 'approval'>
  readonly status: ProgressStatus
  readonly label: string
  readonly detail?: unknown
  readonly elapsed_ms?: number | undefined
}

/** Ends with one `end` or one `failed`, and nothing follows it. */
export type RuntimeEvent =
  | RuntimeProgress
  | { readonly type: 'chunk'; readonly delta: string }
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'attachment'; readonly attachment: Omit<ChatAttachment, 'runtime'> }
  | {
      readonly type: 'end'
      readonly outcome: 'completed' | 'cancelled' | 'length'
      /** Replaces the stored state; only kept if the run completed. */
      readonly continuity?: Readonly<Record<string, unknown>> | undefined
      readonly usage?: ChatUsage | undefined
      readonly cost_micro_usd?: number | null | undefined
    }
  | {
      readonly type: 'failed'
      readonly code: ChatErrorCode
      readonly message: string
      readonly retryable: boolean
      readonly usage?: ChatUsage | undefined
      readonly cost_micro_usd?: number | null | undefined
    }

/** An action that needs the user's approval. */
export interface Approval {
  readonly label: string
  readonly choices: readonly string[]
  readonly detail?: Readonly<Record<string, unknown>> | undefined
  readonly parent_id?: string | undefined
}

export interface RunContext {
  readonly signal: AbortSignal
  /** Returns the user's choice; null if nobody answered in time or the run was stopped. */
  readonly ask: (approval: Approval) => Promise<string | null>
}

/** A runtime that answers messages. It never throws, and an abort ends everything it started. */
export interface RuntimeAdapter {
  readonly id: RuntimeId
  readonly title: string
  readonly health: (signal?: AbortSignal) => Promise<Omit<RuntimeHealth, 'id' | 'title' | 'is_default'>>
  /** The default model; null if it is not known in advance. */
  readonly model: () => string | null
  readonly run: (request: RuntimeRequest, context: RunContext) => AsyncIterable<RuntimeEvent>
  readonly close: () => Promise<void>
}

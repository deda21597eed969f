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

/** Something that was said before, and what was sent around it. */
export interface SaidBefore {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly runtime: RuntimeId | null
  /** Of the person's own messages: the words that were sent before it. */
  readonly preamble: string | null
}

/** One message with all that belongs to it, finished: an adapter builds no context of its own. */
export interface RuntimeRequest {
  readonly conversation_id: string
  readonly run_id: string
  readonly message_id: string
  readonly user_message_id: string
  readonly model: string | null
  readonly message: string
  readonly files: readonly FileInput[]
  /** Told before everything else; the same, byte for byte, while an epoch of the conversation lasts. */
  readonly baseline: string
  /** What is told with this message: memory, skills, plan, template, the texts of files; empty where there is nothing. */
  readonly preamble: string
  /** All that was said in this epoch, for runtimes that remember nothing. */
  readonly history: readonly SaidBefore[]
  /** What was said since this runtime was last asked, for those that remember. */
  readonly handover: readonly SaidBefore[]
  readonly skills: SkillShortlist
  readonly plan: TaskGraph
  /** What this runtime needs to go on, as it left it; null where it never answered here. */
  readonly continuity: Compartment | null
  /** Where it works. */
  readonly folder: string
  /** Whose conversation it is; null or left out where it is nobody's in particular. */
  readonly owner?: string | null | undefined
  /** Its words are to be written down nowhere else. */
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

/** It ends with one `end` or one `failed`, and nothing follows it. */
export type RuntimeEvent =
  | RuntimeProgress
  | { readonly type: 'chunk'; readonly delta: string }
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'attachment'; readonly attachment: Omit<ChatAttachment, 'runtime'> }
  | {
      readonly type: 'end'
      readonly outcome: 'completed' | 'cancelled' | 'length'
      /** Takes the place of what it needed before; kept only where the run was completed. */
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

/** Something that a person has to allow. */
export interface Approval {
  readonly label: string
  readonly choices: readonly string[]
  readonly detail?: Readonly<Record<string, unknown>> | undefined
  readonly parent_id?: string | undefined
}

export interface RunContext {
  readonly signal: AbortSignal
  /** What the person chose; null when nobody answered in time or the run was stopped. */
  readonly ask: (approval: Approval) => Promise<string | null>
}

/** Whoever answers. It never throws; an abort ends everything that it began. */
export interface RuntimeAdapter {
  readonly id: RuntimeId
  readonly title: string
  readonly health: (signal?: AbortSignal) => Promise<Omit<RuntimeHealth, 'id' | 'title' | 'is_default'>>
  /** The model that answers where nobody says otherwise; null where that is not known before. */
  readonly model: () => string | null
  readonly run: (request: RuntimeRequest, context: RunContext) => AsyncIterable<RuntimeEvent>
  readonly close: () => Promise<void>
}

import type { ChatEpoch, ConversationWindow } from '@panoptes/engine/store'
import type {
  ContextSection,
  FileInput,
  Result,
  RuntimeId,
  SentContext,
  SkillShortlist,
  TaskGraph,
} from '@panoptes/schema'
import type { PriorMessage } from '../runtimes/port.ts'

/** The input a section is built from. */
export interface SectionInput {
  readonly conversation: ConversationWindow
  readonly message: string
  readonly folder: string
  /**
   * When the first message that is sent in full was written. The model sees everything since then
   * anyway.
   */
  readonly since: number
}

/** What a source found, most important first. If it does not fit, the last items are dropped. */
export interface Loaded {
  readonly items: readonly string[]
  /** Number of matches the source already dropped. */
  readonly leftOut?: number | undefined
  readonly note?: string | undefined
}

/**
 * A source of one section of the context. It fails open: a source that is late is unavailable,
 * which is not the same as empty.
 */
export interface SectionSource {
  readonly key: string
  readonly title: string
  /** The tokens this section may take, given the total for the context. */
  readonly budget: (total: number) => number
  readonly timeoutMs: number
  /**
   * Frozen sections are sent once per epoch, in the baseline, and only their additions go with a
   * message. Other sections are sent with each message.
   */
  readonly frozen: boolean
  readonly load: (input: SectionInput, signal: AbortSignal) => Promise<Result<Loaded>>
  /** Renders clean items. It must be pure. */
  readonly render: (items: readonly string[]) => string
}

export interface ContextInput {
  readonly conversation: ConversationWindow
  readonly runtime: RuntimeId
  readonly message: string
  readonly files: readonly FileInput[]
  readonly template: string | null
  readonly folder: string
  readonly signal: AbortSignal
  readonly budgetTokens: number
}

/** A context, built once per message for any runtime. */
export interface BuiltContext {
  readonly baseline: string
  readonly preamble: string
  readonly history: readonly PriorMessage[]
  readonly skills: SkillShortlist
  readonly plan: TaskGraph
  readonly sent: SentContext
  readonly sections: readonly ContextSection[]
  /** The new epoch, if it differs from the conversation's. */
  readonly epoch: ChatEpoch | null
}

export type BuildContext = (input: ContextInput) => Promise<BuiltContext>

import type { ChatEpoch, ConversationWindow } from '@panoptes/engine/ledger'
import type {
  ContextSection,
  FileInput,
  Result,
  RuntimeId,
  SentContext,
  SkillShortlist,
  TaskGraph,
} from '@panoptes/schema'
import type { SaidBefore } from '../runtimes/port.ts'

/** What a section is made for. */
export interface SectionInput {
  readonly conversation: ConversationWindow
  readonly message: string
  readonly folder: string
  /** When the first message was said that is sent as it is; what was said since is before everybody's eyes. */
  readonly since: number
}

/** What a source found, in the order in which it matters; the last go first where it is too much. */
export interface Loaded {
  readonly items: readonly string[]
  /** Found and left out already. */
  readonly leftOut?: number | undefined
  readonly note?: string | undefined
}

/** A part of the memory. It fails open: what cannot be had in time is unavailable, which is not the same as absent. */
export interface SectionSource {
  readonly key: string
  readonly title: string
  /** Tokens it may take of so many that a whole context has. */
  readonly budget: (total: number) => number
  readonly timeoutMs: number
  /** Frozen ones are told once for an epoch, before everything else, and what is new of them with a message; others with each message. */
  readonly frozen: boolean
  readonly load: (input: SectionInput, signal: AbortSignal) => Promise<Result<Loaded>>
  /** Pure. The items are clean. */
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

/** Built once for a message, whoever answers it. */
export interface BuiltContext {
  readonly baseline: string
  readonly preamble: string
  readonly history: readonly SaidBefore[]
  readonly skills: SkillShortlist
  readonly plan: TaskGraph
  readonly sent: SentContext
  readonly sections: readonly ContextSection[]
  /** Where it is another than the conversation has. */
  readonly epoch: ChatEpoch | null
}

export type BuildContext = (input: ContextInput) => Promise<BuiltContext>

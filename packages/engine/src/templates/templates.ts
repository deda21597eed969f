import type {
  CreatedTemplate,
  InjectInput,
  InjectReply,
  Result,
  SessionRef,
  Suggestion,
  TaskType,
  TemplateEffect,
  TemplateInput,
  TemplatePlace,
  TemplatePreview,
  TemplateReply,
  TemplatesReply,
} from '@panoptes/schema'

export interface SuggestQuery {
  readonly project?: string | undefined
  readonly days: number
  readonly limit: number
}

/** What a client reports about a starting session. */
export interface SessionStart {
  readonly source: string
  readonly session_id: string
  /** What preceded it: `startup`, `resume`, `clear`, `compact` or `fork`. */
  readonly began: string
  readonly cwd: string | null
}

/**
 * Templates of good sessions: made, stored, given to new sessions, and measured. No method throws.
 */
export interface Templates {
  /** Lists the templates, newest first. */
  readonly list: (type?: TaskType) => Promise<Result<TemplatesReply>>
  readonly show: (name: string, place?: TemplatePlace) => Promise<Result<TemplateReply>>
  readonly preview: (input: TemplateInput) => Promise<Result<TemplatePreview>>
  readonly create: (input: TemplateInput) => Promise<Result<CreatedTemplate>>
  /** A removed template can be restored for a while. */
  readonly remove: (name: string) => Promise<Result<null>>
  readonly restore: (name: string) => Promise<Result<null>>
  /** Returns the template in the requested form, which counts as a use. */
  readonly inject: (input: InjectInput) => Promise<Result<InjectReply>>
  /** Returns what a starting session gets; null gives it nothing. */
  readonly atStart: (start: SessionStart) => Promise<Result<InjectReply>>
  readonly effect: (name: string, project?: string) => Promise<Result<TemplateEffect>>
  /** The effects of all templates, newest first. */
  readonly effects: (project?: string) => Promise<Result<readonly TemplateEffect[]>>
  readonly suggest: (query: SuggestQuery) => Promise<Result<readonly Suggestion[]>>
  /** Removes templates made from these sessions, including deleted ones, and returns how many. */
  readonly forget: (sessions: readonly SessionRef[]) => Promise<Result<number>>
}

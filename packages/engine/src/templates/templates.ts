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

/** What a client says of a session that begins. */
export interface SessionStart {
  readonly source: string
  readonly session_id: string
  /** `startup`, `resume`, `clear`, `compact`, `fork`: what came before it. */
  readonly began: string
  readonly cwd: string | null
}

/** Templates of good sessions: made, kept, given to new ones, and what that did. No method throws. */
export interface Templates {
  /** The newest first. */
  readonly list: (type?: TaskType) => Promise<Result<TemplatesReply>>
  readonly show: (name: string, place?: TemplatePlace) => Promise<Result<TemplateReply>>
  readonly preview: (input: TemplateInput) => Promise<Result<TemplatePreview>>
  readonly create: (input: TemplateInput) => Promise<Result<CreatedTemplate>>
  /** It can be taken back for a while. */
  readonly remove: (name: string) => Promise<Result<null>>
  readonly restore: (name: string) => Promise<Result<null>>
  /** Counts a use. */
  readonly inject: (input: InjectInput) => Promise<Result<InjectReply>>
  /** What a session that begins is to be told; null tells it nothing. */
  readonly atStart: (start: SessionStart) => Promise<Result<InjectReply>>
  readonly effect: (name: string, project?: string) => Promise<Result<TemplateEffect>>
  /** Of every template, the newest first. */
  readonly effects: (project?: string) => Promise<Result<readonly TemplateEffect[]>>
  readonly suggest: (query: SuggestQuery) => Promise<Result<readonly Suggestion[]>>
  /** Templates made from these go, deleted ones too; answers how many. */
  readonly forget: (sessions: readonly SessionRef[]) => Promise<Result<number>>
}

import type { Result, SessionRef, TaskType, TemplatePlace } from '@panoptes/schema'

/** One time that a template was given to a session or withheld by chance. */
export interface InjectionRow {
  /** Rows with the same key are stored once. */
  readonly key: string
  /** The time is in milliseconds. */
  readonly ts: number
  /** This is empty once the session that the template was made from is forgotten. */
  readonly template: string
  readonly place: TemplatePlace
  /**
   * The template was made at this time, in seconds since 1970. The time distinguishes templates of the same
   * name.
   */
  readonly made_at: number
  readonly task_type: TaskType
  /** The template's purpose: a hook of an agent, or a kind of message. */
  readonly target: string
  /** Tells whether the session received it or is compared with those that did. */
  readonly arm: 'with' | 'without'
  /** This is true when chance decided. */
  readonly drawn: boolean
  /** The session that received it, if it is known. */
  readonly source: string | null
  readonly session_id: string | null
  readonly project: string | null
}

/** Holds what the store knows about a template besides its file. */
export interface TemplateNoteRow {
  readonly name: string
  readonly made_at: number
  /** The session that the template was made from. */
  readonly source: string | null
  readonly session_id: string | null
  /** The note as JSON. */
  readonly doc: string
}

export interface InjectionQuery {
  readonly template?: string | undefined
  readonly session?: SessionRef | undefined
}

/** Texts by name, shared by everybody who uses the database. */
export interface SharedTexts {
  readonly all: () => Promise<Result<ReadonlyMap<string, string>>>
  /**
   * Runs one change at a time across all processes. All changes that the work makes to the texts are stored,
   * unless it returns a failure.
   */
  readonly change: <T>(work: (texts: Map<string, string>) => Promise<Result<T>>) => Promise<Result<T>>
}

/** The data behind templates besides their files. It is not part of the log. No method throws. */
export interface TemplateUses {
  /** The templates themselves when the store is a database. A single computer keeps them in files. */
  readonly shared?: SharedTexts
  /** Returns whether the row is new. */
  inject(row: InjectionRow): Promise<Result<boolean>>
  /** Lists injections, the oldest first. */
  injections(query: InjectionQuery): Promise<Result<readonly InjectionRow[]>>
  note(row: TemplateNoteRow): Promise<Result<null>>
  notes(): Promise<Result<readonly TemplateNoteRow[]>>
}

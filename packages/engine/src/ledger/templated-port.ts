import type { Result, SessionRef, TaskType, TemplatePlace } from '@panoptes/schema'

/** One time that a template was given to somebody, or was held back by chance. */
export interface InjectionRow {
  /** The same key is stored once. */
  readonly key: string
  /** Milliseconds. */
  readonly ts: number
  /** Empty once the session that it was made of is forgotten. */
  readonly template: string
  readonly place: TemplatePlace
  /** Seconds since 1970, of the template: another one of the same name was made at another time. */
  readonly made_at: number
  readonly task_type: TaskType
  /** What it was made for: an agent's hook, a kind of messages. */
  readonly target: string
  /** Whether the session got it, or is compared with those that did. */
  readonly arm: 'with' | 'without'
  /** Whether chance decided. */
  readonly drawn: boolean
  /** The session that got it, where it is known. */
  readonly source: string | null
  readonly session_id: string | null
  readonly project: string | null
}

/** What is known of a template beside its file. */
export interface TemplateNoteRow {
  readonly name: string
  readonly made_at: number
  /** The session it is from. */
  readonly source: string | null
  readonly session_id: string | null
  /** JSON. */
  readonly doc: string
}

export interface InjectionQuery {
  readonly template?: string | undefined
  readonly session?: SessionRef | undefined
}

/** Texts by their names, the same for all who share a database. */
export interface SharedTexts {
  readonly all: () => Promise<Result<ReadonlyMap<string, string>>>
  /** One change at a time, whoever makes it. What is done to the texts is stored, all of it, unless that is answered with a failure. */
  readonly change: <T>(work: (texts: Map<string, string>) => Promise<Result<T>>) => Promise<Result<T>>
}

/** What templates stand on beside their files. It is no part of the log. No method throws. */
export interface Templated {
  /** The templates themselves, where the ledger is a database; a computer alone has files. */
  readonly shared?: SharedTexts
  /** Whether it is new. */
  inject(row: InjectionRow): Promise<Result<boolean>>
  /** The oldest first. */
  injections(query: InjectionQuery): Promise<Result<readonly InjectionRow[]>>
  note(row: TemplateNoteRow): Promise<Result<null>>
  notes(): Promise<Result<readonly TemplateNoteRow[]>>
}

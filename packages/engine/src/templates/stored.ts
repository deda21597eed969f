import type { BrokenTemplate, SessionTemplate, TemplateNotes, TemplatePlace } from '@panoptes/schema'

/** A template where it lies. */
export interface Stored {
  readonly template: SessionTemplate
  readonly place: TemplatePlace
  readonly file: string
}

/** With what the ledger knows of it: its uses are counted whoever counts them. */
export interface Known extends Stored {
  readonly notes: TemplateNotes | null
}

export interface Found {
  readonly stored: readonly Stored[]
  readonly broken: readonly BrokenTemplate[]
}

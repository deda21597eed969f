import type { BrokenTemplate, SessionTemplate, TemplateNotes, TemplatePlace } from '@panoptes/schema'

/** A template and where it is stored. */
export interface Stored {
  readonly template: SessionTemplate
  readonly place: TemplatePlace
  readonly file: string
}

/**
 * A stored template with what the event store knows about it; its uses are counted whoever counts
 * them.
 */
export interface TemplateEntry extends Stored {
  readonly notes: TemplateNotes | null
}

export interface Found {
  readonly stored: readonly Stored[]
  readonly broken: readonly BrokenTemplate[]
}

import type { InjectionRow, TemplateNoteRow, TemplateUses } from '@panoptes/engine/store'
import {
  type BrokenTemplate,
  check,
  type Result,
  type TemplateNotes,
  type TemplatePlace,
  templateNotes,
} from '@panoptes/schema'
import { tryParseJson } from '@panoptes/schema/json'
import { failure, success } from '@panoptes/schema/result'
import type { StoredTemplate, TemplateEntry } from './file.ts'
import type { TemplateFolder } from './folder.ts'
import { findByName } from './names.ts'

/** All templates: the files, and what the event store knows about them. */
export interface TemplateCatalog {
  /** All templates, newest first. */
  readonly known: readonly TemplateEntry[]
  readonly broken: readonly BrokenTemplate[]
  readonly injections: readonly InjectionRow[]
}

interface TemplateSources {
  readonly folder: TemplateFolder
  readonly templateUses: TemplateUses
}

export async function loadCatalog({
  folder,
  templateUses,
}: TemplateSources): Promise<Result<TemplateCatalog>> {
  const found = await folder.all()
  if (!found.ok) return found
  const notes = await templateUses.notes()
  if (!notes.ok) return notes
  const injections = await templateUses.injections({})
  if (!injections.ok) return injections
  const entries = found.value.stored.map((stored) => toEntry(stored, notes.value, injections.value))
  return success({
    known: entries.sort(newestFirst),
    broken: found.value.broken,
    injections: injections.value,
  })
}

/** True if a row belongs to this template and not to another of the same name. */
export const matchesRow = ({ template, place }: StoredTemplate, row: InjectionRow): boolean =>
  row.template === template.name && row.place === place && row.made_at === template.created_at

/** Returns the templates of one folder, or all if none is given. */
export const filterByPlace = (
  entries: readonly TemplateEntry[],
  place: TemplatePlace | undefined,
): readonly TemplateEntry[] => (place === undefined ? entries : entries.filter((one) => one.place === place))

/** Resolves a name; ours takes precedence over one of Hermes. */
export function findTemplate(entries: readonly TemplateEntry[], name: string): Result<TemplateEntry> {
  const ours = entries.filter(({ place }) => place === 'panoptes')
  const found = findByName(ours, name) ?? findByName(entries, name)
  return found ? success(found) : failure('not_found', `Template not found: ${name}`)
}

function toEntry(
  stored: StoredTemplate,
  notes: readonly TemplateNoteRow[],
  injections: readonly InjectionRow[],
): TemplateEntry {
  if (stored.place === 'panoptes') return { ...stored, notes: findNotes(stored, notes) }
  // Hermes' files are read-only, so their uses are counted here instead.
  const uses = injections.filter((row) => row.arm === 'with' && matchesRow(stored, row)).length
  const { template } = stored
  return {
    ...stored,
    template: { ...template, usage_count: template.usage_count + uses },
    notes: null,
  }
}

function findNotes({ template }: StoredTemplate, notes: readonly TemplateNoteRow[]): TemplateNotes | null {
  const row = notes.find(({ name, made_at }) => name === template.name && made_at === template.created_at)
  if (row === undefined) return null
  const checked = check(templateNotes, tryParseJson(row.doc))
  if (!checked.ok) return null
  return row.source === null ? { ...checked.value, source: null, title: null, project: null } : checked.value
}

const newestFirst = ({ template: a }: TemplateEntry, { template: b }: TemplateEntry): number =>
  b.created_at - a.created_at || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

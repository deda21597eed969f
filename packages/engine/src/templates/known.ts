import type { InjectionRow, Templated, TemplateNoteRow } from '@panoptes/engine/ledger'
import {
  type BrokenTemplate,
  check,
  type Result,
  type TemplateNotes,
  type TemplatePlace,
  templateNotes,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { parsedJson } from './fields.ts'
import type { TemplateFolder } from './folder.ts'
import { oneNamed } from './names.ts'
import type { Known, Stored } from './stored.ts'

/** All there is: the files, and what the ledger knows of them. */
export interface Everything {
  /** The newest first. */
  readonly known: readonly Known[]
  readonly broken: readonly BrokenTemplate[]
  readonly injections: readonly InjectionRow[]
}

interface Kept {
  readonly folder: TemplateFolder
  readonly templated: Templated
}

export async function everything({ folder, templated }: Kept): Promise<Result<Everything>> {
  const found = await folder.all()
  if (!found.ok) return found
  const notes = await templated.notes()
  if (!notes.ok) return notes
  const injections = await templated.injections({})
  if (!injections.ok) return injections
  const known = found.value.stored.map((stored) => knownOf(stored, notes.value, injections.value))
  return success({
    known: known.sort(newestFirst),
    broken: found.value.broken,
    injections: injections.value,
  })
}

/** Whether a row is of this template, and not of another one that had its name. */
export const isOf = ({ template, place }: Stored, row: InjectionRow): boolean =>
  row.template === template.name && row.place === place && row.made_at === template.created_at

/** Those of one folder, or all where none is said. */
export const inPlace = (known: readonly Known[], place: TemplatePlace | undefined): readonly Known[] =>
  place === undefined ? known : known.filter((one) => one.place === place)

/** The one that a name means: ours before that of Hermes. */
export function named(known: readonly Known[], name: string): Result<Known> {
  const ours = known.filter(({ place }) => place === 'panoptes')
  const found = oneNamed(ours, name) ?? oneNamed(known, name)
  return found ? success(found) : failure('not_found', `Template not found: ${name}`)
}

function knownOf(
  stored: Stored,
  notes: readonly TemplateNoteRow[],
  injections: readonly InjectionRow[],
): Known {
  if (stored.place === 'panoptes') return { ...stored, notes: notesOf(stored, notes) }
  // Files of Hermes are only read, so their uses here are counted here.
  const uses = injections.filter((row) => row.arm === 'with' && isOf(stored, row)).length
  const { template } = stored
  return {
    ...stored,
    template: { ...template, usage_count: template.usage_count + uses },
    notes: null,
  }
}

function notesOf({ template }: Stored, notes: readonly TemplateNoteRow[]): TemplateNotes | null {
  const row = notes.find(({ name, made_at }) => name === template.name && made_at === template.created_at)
  if (row === undefined) return null
  const checked = check(templateNotes, parsedJson(row.doc))
  if (!checked.ok) return null
  return row.source === null ? { ...checked.value, source: null, title: null, project: null } : checked.value
}

const newestFirst = ({ template: a }: Known, { template: b }: Known): number =>
  b.created_at - a.created_at || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

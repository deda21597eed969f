import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { InjectionRow } from '@panoptes/engine/store'
import type { SessionRef } from '@panoptes/schema'
import type { Choice } from './choose.ts'
import type { TemplateEntry } from './stored-template.ts'
import type { SessionStart } from './templates.ts'

/**
 * The decision for a starting session. `give` and `hold_back` are recorded as `with` and `without`;
 * `repeat` gives the session what it had and is not counted.
 */
export type AtStart =
  | { readonly does: 'nothing'; readonly reasons: readonly string[] }
  | { readonly does: 'repeat'; readonly known: TemplateEntry; readonly reasons: readonly string[] }
  | {
      readonly does: 'give' | 'hold_back'
      readonly known: TemplateEntry
      /** Whether it was decided at random. */
      readonly drawn: boolean
      readonly reasons: readonly string[]
    }

const NEW: ReadonlySet<string> = new Set(['startup', 'clear', 'fork'])

/** Returns the decision that needs no choice of a template; undefined if the choice decides. */
export function beforeChoice(
  { began }: SessionStart,
  earlier: readonly InjectionRow[],
  entries: readonly TemplateEntry[],
): AtStart | undefined {
  if (began !== 'compact' && !NEW.has(began)) return nothing('A resumed session keeps its template.')
  const [had] = earlier
  if (had === undefined) {
    return began === 'compact' ? nothing('The session had no template before it was compacted.') : undefined
  }
  if (had.arm === 'without') return nothing('This session is in the control group without a template.')
  const same = entries.find(
    ({ template, place }) =>
      template.name === had.template && place === had.place && template.created_at === had.made_at,
  )
  return same
    ? { does: 'repeat', known: same, reasons: [`The session had ${had.template} before.`] }
    : nothing('The template of the session no longer exists.')
}

/** The decision after the choice, when a share of sessions gets none. */
export function afterChoice(
  { source, session_id }: SessionStart,
  { chosen, reasons }: Choice,
  experiment: number | null,
): AtStart {
  if (chosen === undefined) return { does: 'nothing', reasons }
  if (experiment === null || experiment >= 1) return { does: 'give', known: chosen, drawn: false, reasons }
  const gets = draws(experiment, { source, id: session_id })
  return gets
    ? {
        does: 'give',
        known: chosen,
        drawn: true,
        reasons: [...reasons, 'This session was randomly chosen to get it.'],
      }
    : {
        does: 'hold_back',
        known: chosen,
        drawn: true,
        reasons: [...reasons, 'This session is in the control group without it.'],
      }
}

/** Returns the project of a folder, as past sessions name it. */
export const projectName = (cwd: string | null): string | undefined =>
  cwd === null || cwd === '' ? undefined : basename(cwd) || cwd

const nothing = (reason: string): AtStart => ({ does: 'nothing', reasons: [reason] })

const BYTES = 6

/**
 * Decides at random whether a session gets the template, for a share of all. The same session
 * always gets the same result.
 */
export function draws(share: number, { source, id }: SessionRef): boolean {
  const hash = createHash('sha256').update(`panoptes templates\0${source}\0${id}`).digest()
  return hash.readUIntBE(0, BYTES) / 2 ** (8 * BYTES) < share
}

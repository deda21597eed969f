import { basename } from 'node:path'
import type { InjectionRow } from '@panoptes/engine/ledger'
import { draws } from './assign.ts'
import type { Choice } from './choose.ts'
import type { Known } from './stored.ts'
import type { SessionStart } from './templates.ts'

/**
 * What becomes of a session that begins. `give` and `hold_back` are recorded, as `with` and `without`; `repeat` tells the
 * session again what it had, and is not counted.
 */
export type AtStart =
  | { readonly does: 'nothing'; readonly reasons: readonly string[] }
  | { readonly does: 'repeat'; readonly known: Known; readonly reasons: readonly string[] }
  | {
      readonly does: 'give' | 'hold_back'
      readonly known: Known
      /** Whether chance decided. */
      readonly drawn: boolean
      readonly reasons: readonly string[]
    }

const NEW: ReadonlySet<string> = new Set(['startup', 'clear', 'fork'])

/** What a session that begins is to have, before anything is chosen; undefined where the choice decides. */
export function beforeChoice(
  { began }: SessionStart,
  earlier: readonly InjectionRow[],
  known: readonly Known[],
): AtStart | undefined {
  if (began !== 'compact' && !NEW.has(began)) return nothing('A session that goes on has what it had.')
  const [had] = earlier
  if (had === undefined) {
    return began === 'compact' ? nothing('The session had no template before it was compacted.') : undefined
  }
  if (had.arm === 'without') return nothing('Chance left this session without a template.')
  const same = known.find(
    ({ template, place }) =>
      template.name === had.template && place === had.place && template.created_at === had.made_at,
  )
  return same
    ? { does: 'repeat', known: same, reasons: [`The session had ${had.template} before.`] }
    : nothing('The template that the session had is no longer there.')
}

/** What the choice comes to, where a share of sessions goes without. */
export function afterChoice(
  { source, session_id }: SessionStart,
  { chosen, reasons }: Choice,
  experiment: number | null,
): AtStart {
  if (chosen === undefined) return { does: 'nothing', reasons }
  if (experiment === null || experiment >= 1) return { does: 'give', known: chosen, drawn: false, reasons }
  const gets = draws(experiment, { source, id: session_id })
  return gets
    ? { does: 'give', known: chosen, drawn: true, reasons: [...reasons, 'Chance gave it to this session.'] }
    : {
        does: 'hold_back',
        known: chosen,
        drawn: true,
        reasons: [...reasons, 'Chance left this session without it.'],
      }
}

/** The project that a folder is of, as past sessions name theirs. */
export const projectOf = (cwd: string | null): string | undefined =>
  cwd === null || cwd === '' ? undefined : basename(cwd) || cwd

const nothing = (reason: string): AtStart => ({ does: 'nothing', reasons: [reason] })

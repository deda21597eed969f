import type { LedgerSkill } from '@panoptes/schema'
import { readDone } from './done-file.ts'

/** When reviews archived which skills, as far as that was not taken back. */
export async function archivedIn(file: string): Promise<ReadonlyMap<string, number>> {
  const done = await readDone(file)
  if (!done.ok) return new Map()
  return new Map(
    done.value.flatMap(({ at, steps }) =>
      steps
        .filter(({ action, state }) => action === 'archive' && state === 'done')
        .map(({ skill }) => [skill, at]),
    ),
  )
}

/** A skill without a folder is not asked to be moved again. */
export function withArchived(skill: LedgerSkill, archived: ReadonlyMap<string, number>): LedgerSkill {
  if (skill.verdict !== 'archive' || skill.folders.length > 0) return skill
  const at = archived.get(skill.skill)
  const said =
    at === undefined
      ? 'It has no folder here to archive.'
      : `Archived on ${new Date(at).toLocaleDateString('sv-SE')}.`
  return { ...skill, reason: `${said} ${skill.reason}` }
}

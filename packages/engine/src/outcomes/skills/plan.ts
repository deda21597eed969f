import { basename, join } from 'node:path'
import type { FoundSkill } from '@panoptes/engine/skill-folders'
import type { LedgerSkill, SkillChange } from '@panoptes/schema'

/** What a verdict requires for one folder. */
export interface Planned {
  readonly change: SkillChange
  readonly found: FoundSkill | null
}

/** Plans what the verdicts require, in the order of the skills. It reads and changes nothing. */
export const planReview = (
  skills: readonly LedgerSkill[],
  found: (skill: string) => readonly FoundSkill[],
): readonly Planned[] =>
  skills.flatMap((skill) => {
    const folders = withTwins(found(skill.skill))
    if (folders.length === 0) return withoutFolder(skill)
    return folders.flatMap((folder) => {
      const change = planChange(skill, folder)
      return change ? [{ change, found: folder }] : []
    })
  })

/** Nothing records which of two folders of one name was used. */
function withTwins(folders: readonly FoundSkill[]): readonly FoundSkill[] {
  const [first, second] = folders
  if (first === undefined || second === undefined) return folders
  return folders.map((one) => {
    const other = one === first ? second : first
    const twin = `${other.folder} has the same name, so it is unclear which one is used`
    return { ...one, kept: one.kept ?? twin }
  })
}

/** Skills of plugins and of other computers are only reported. */
function withoutFolder({ skill, verdict, reason }: LedgerSkill): readonly Planned[] {
  if (verdict === 'watching' || verdict === 'archive') return []
  const says = verdict === 'validated' ? 'It works, but has no folder here to mark' : WORTH
  return [
    {
      change: { skill, verdict, reason, folder: '', action: 'none', says, done: false, problem: null },
      found: null,
    },
  ]
}

const WORTH = 'Extract it again from successful sessions'

function planChange({ skill, verdict, reason }: LedgerSkill, found: FoundSkill): SkillChange | null {
  const base = { skill, verdict, reason, folder: found.folder, done: false }
  const left = (says: string, problem = found.kept): SkillChange => ({
    ...base,
    action: 'none',
    says,
    problem,
  })
  const wish = chooseAction(verdict, found)
  if (verdict === 'watching') return found.kept === null ? null : left('Unchanged')
  if (wish === null) return left(verdict === 'validated' ? 'Already marked' : WORTH)
  const why = found.kept ?? (wish.action === 'mark' ? found.unmarkable : null)
  if (why === null) return { ...base, ...wish, problem: null }
  return left(`Would be ${verdict === 'archive' ? 'archived' : 'marked'}, but stays unchanged`, why)
}

function chooseAction(
  verdict: LedgerSkill['verdict'],
  { folder, archive, isMarked }: FoundSkill,
): Pick<SkillChange, 'action' | 'says'> | null {
  if (verdict === 'archive')
    return { action: 'archive', says: `Move the folder to ${join(archive, basename(folder))}` }
  if (verdict === 'validated' && !isMarked)
    return { action: 'mark', says: 'Add stability: validated to its SKILL.md' }
  if (verdict === 're-extract' && isMarked)
    return { action: 'mark', says: `Remove stability: validated from its SKILL.md. ${WORTH}` }
  return null
}

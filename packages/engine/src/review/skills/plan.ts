import { basename, join } from 'node:path'
import type { FoundSkill } from '@panoptes/engine/skill-folders'
import type { LedgerSkill, SkillChange } from '@panoptes/schema'

/** What a verdict asks for on one folder. */
export interface Planned {
  readonly change: SkillChange
  readonly found: FoundSkill | null
}

/** What the verdicts ask for, in the order of the skills. Nothing is looked at or touched. */
export const planReview = (
  skills: readonly LedgerSkill[],
  found: (skill: string) => readonly FoundSkill[],
): readonly Planned[] =>
  skills.flatMap((skill) => {
    const folders = withTwins(found(skill.skill))
    if (folders.length === 0) return withoutFolder(skill)
    return folders.flatMap((folder) => {
      const change = changeOf(skill, folder)
      return change ? [{ change, found: folder }] : []
    })
  })

/** Which of two folders of one name was used is not told anywhere. */
function withTwins(folders: readonly FoundSkill[]): readonly FoundSkill[] {
  const [first, second] = folders
  if (first === undefined || second === undefined) return folders
  return folders.map((one) => {
    const other = one === first ? second : first
    const twin = `${other.folder} has the same name, and which of them is used is not known`
    return { ...one, kept: one.kept ?? twin }
  })
}

/** Skills of plugins and of other computers are only told of. */
function withoutFolder({ skill, verdict, reason }: LedgerSkill): readonly Planned[] {
  if (verdict === 'watching' || verdict === 'archive') return []
  const says = verdict === 'validated' ? 'It works. It has no folder here to mark' : WORTH
  return [
    {
      change: { skill, verdict, reason, folder: '', action: 'none', says, done: false, problem: null },
      found: null,
    },
  ]
}

const WORTH = 'Worth extracting anew from sessions in which the work went well'

function changeOf({ skill, verdict, reason }: LedgerSkill, found: FoundSkill): SkillChange | null {
  const base = { skill, verdict, reason, folder: found.folder, done: false }
  const left = (says: string, problem = found.kept): SkillChange => ({
    ...base,
    action: 'none',
    says,
    problem,
  })
  const wish = wishOf(verdict, found)
  if (verdict === 'watching') return found.kept === null ? null : left('Left as it is')
  if (wish === null) return left(verdict === 'validated' ? 'Is marked already' : WORTH)
  const why = found.kept ?? (wish.action === 'mark' ? found.unmarkable : null)
  if (why === null) return { ...base, ...wish, problem: null }
  return left(`Would be ${verdict === 'archive' ? 'archived' : 'marked'}, but is left as it is`, why)
}

function wishOf(
  verdict: LedgerSkill['verdict'],
  { folder, archive, isMarked }: FoundSkill,
): Pick<SkillChange, 'action' | 'says'> | null {
  if (verdict === 'archive')
    return { action: 'archive', says: `Move the folder to ${join(archive, basename(folder))}` }
  if (verdict === 'validated' && !isMarked)
    return { action: 'mark', says: 'Write stability: validated into its SKILL.md' }
  if (verdict === 're-extract' && isMarked)
    return { action: 'mark', says: `Take stability: validated out of its SKILL.md. ${WORTH}` }
  return null
}

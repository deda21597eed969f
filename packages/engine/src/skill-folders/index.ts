export { type FoundSkill, findSkills, listSkillRoots, MARK, type SkillRoot } from './find.ts'
export { applyEdit as applied, editStability, reverseEdit as reversed } from './front-matter.ts'

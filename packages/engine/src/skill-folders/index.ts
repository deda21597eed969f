export { type FoundSkill, findSkills, MARK, type SkillRoot, skillRoots } from './find.ts'
export { applyEdit as applied, editStability, reverseEdit as reversed } from './front-matter.ts'

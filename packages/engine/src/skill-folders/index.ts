export { type FoundSkill, findSkills, MARK } from './find.ts'
export { applied, editStability, reversed } from './front-matter.ts'
export { type SkillRoot, skillRoots } from './roots.ts'

export { type FoundSkill, findSkills, MARK, type SkillRoot, skillRoots } from './find.ts'
export { applied, editStability, reversed } from './front-matter.ts'

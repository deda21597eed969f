export { skillUseEvent } from './record.ts'
export { createSkills, type Skills, type SkillsOptions } from './skills.ts'

export type { Patient } from './check.ts'
export { diagnose } from './diagnose.ts'
export { type Holder, lockHolder, portHolder } from './holders.ts'
export { diagnoseTeam } from './team/diagnose-team.ts'

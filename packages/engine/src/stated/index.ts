export { readClaims, type StatedClaim } from './claims.ts'
export { skillOfCall, skillOfCommand } from './skills.ts'
export { readStatus } from './status.ts'

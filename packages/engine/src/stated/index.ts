export { type Bypass, bypassIn } from './bypass.ts'
export { readClaims, type StatedClaim } from './claims.ts'
export { skillOfCall, skillOfCommand, skillOfPrompt } from './skills.ts'
export { readStatus } from './status.ts'

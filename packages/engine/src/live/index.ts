export { type Conflicts, createConflicts } from './conflicts.ts'
export { createJudge, type Judge } from './judge.ts'
export { type Choice, createRequests, type Requests } from './requests.ts'

export { type Conflicts, createConflicts } from './conflicts.ts'
export { createJudge, type Judge } from './judge.ts'
export { createNotifier, type Notifier } from './notify.ts'
export { type Choice, createRequests, type Requests } from './requests.ts'

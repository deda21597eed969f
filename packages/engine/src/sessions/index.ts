export { type Progress, type Refreshed, type RefreshOptions, refresh } from './refresh.ts'

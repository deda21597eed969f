export { type Paths, resolvePaths } from './paths.ts'

import { type Paths, resolvePaths } from '@panoptes/engine/home'
import { makeOutput, type Output } from './terminal/output.ts'

/** What every command is given. */
export interface Context {
  readonly env: NodeJS.ProcessEnv
  readonly paths: Paths
  readonly output: Output
}

export function makeContext(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Context {
  return { env, paths: resolvePaths(env), output: makeOutput(argv, env) }
}

import { type Paths, resolvePaths } from '@panoptes/engine/home'
import { makeOutput, type Output } from './terminal/output.ts'

/** The context that every command gets. */
export interface Context {
  readonly env: NodeJS.ProcessEnv
  readonly paths: Paths
  readonly output: Output
}

export function makeContext(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Context {
  return { env, paths: resolvePaths(env), output: makeOutput(argv, env) }
}

/**
 * An empty HOME counts as unset. The system then provides the home folder of the user instead of the current
 * folder.
 */
export function dropEmptyHome(env: NodeJS.ProcessEnv = process.env): void {
  if (env.HOME === '') delete env.HOME
}

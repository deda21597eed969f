export interface HookOptions {
  readonly scope: 'user' | 'project'
  readonly dryRun?: boolean
  readonly http?: boolean
  readonly events?: string
  readonly shell?: boolean
  readonly secretEnv?: boolean
}

/** What is about to be written, and what a person should know about it. */
export interface Wanted {
  readonly editor: import('@panoptes/engine/hooks').Editor
  readonly events: readonly string[]
  readonly form: string
  /** Whether the script has to be in its place. */
  readonly script: boolean
  readonly notes: readonly string[]
}

export interface HookOptions {
  readonly scope: 'user' | 'project'
  readonly dryRun?: boolean
  readonly http?: boolean
  readonly events?: string
  readonly shell?: boolean
  readonly secretEnv?: boolean
}

/** A planned change and notes for the user. */
export interface Wanted {
  readonly editor: import('@panoptes/engine/hooks').Editor
  readonly events: readonly string[]
  readonly form: string
  /** Whether the hook script must be installed. */
  readonly script: boolean
  readonly notes: readonly string[]
}

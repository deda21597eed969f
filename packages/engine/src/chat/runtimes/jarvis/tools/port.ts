import type { OwnTool } from '../../../own-tools/index.ts'

/** Something that a model may do. It never throws. */
export interface JarvisTool extends OwnTool {
  /** What is allowed for longer than once: another tool of the same name is another. */
  readonly identity: string
  /** Whose it is, where it is not our own. */
  readonly server?: string | undefined
}

import type { OwnTool } from '../../../own-tools/port.ts'

/** A tool that a model may call. It never throws. */
export interface JarvisTool extends OwnTool {
  /**
   * The identity that lasting approvals apply to; another tool of the same name has another
   * identity.
   */
  readonly identity: string
  /** The MCP server of the tool, unless it is our own. */
  readonly server?: string | undefined
}

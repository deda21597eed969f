import type { Result } from '@panoptes/schema'

/** The context of a tool call, besides its input. */
export interface OwnToolContext {
  readonly signal: AbortSignal
  /** The user's working folder. */
  readonly folder: string
  /** The owner of the conversation, in a team. */
  readonly owner?: string | null | undefined
}

/** A tool that a model may call. It never throws. */
export interface OwnTool {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string
  readonly description: string
  /** The JSON Schema of its input. */
  readonly schema: Readonly<Record<string, unknown>>
  /** The tool changes something, so the user has to approve it. */
  readonly asks: boolean
  readonly timeoutMs: number
  /** Returns the result, cleaned and bounded. `asToolData` wraps it for the model as data. */
  readonly run: (input: Readonly<Record<string, unknown>>, context: OwnToolContext) => Promise<Result<string>>
}

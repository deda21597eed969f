import type { Result } from '@panoptes/schema'

/** What a tool is called with, beside its input. */
export interface OwnToolContext {
  readonly signal: AbortSignal
  /** Where the person works. */
  readonly folder: string
  /** Whose conversation it is, in a team. */
  readonly owner?: string | null | undefined
}

/** Something that a model may do. It never throws. */
export interface OwnTool {
  /** Letters, digits, `_` and `-`; 64 at most. */
  readonly name: string
  readonly description: string
  /** JSON Schema of its input. */
  readonly schema: Readonly<Record<string, unknown>>
  /** It changes something: a person has to allow it. */
  readonly asks: boolean
  readonly timeoutMs: number
  /** What came of it, clean and within bounds; `asToolData` says to a model that it is data. */
  readonly run: (input: Readonly<Record<string, unknown>>, context: OwnToolContext) => Promise<Result<string>>
}

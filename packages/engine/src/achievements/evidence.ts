import type { Contribution } from './aggregate.ts'

export interface Evidence {
  readonly session_id: string
  readonly title: string
  readonly value: number
  /** Not known of what Hermes' plugin wrote down. */
  readonly source?: string
}

/** A session that was forgotten is no evidence: its numbers stay under a name that begins so. */
export const NAMELESS = '\u001f'

export const evidenceIn = (
  { session_id, title, agent }: Contribution,
  value: number,
): Evidence | undefined =>
  session_id.startsWith(NAMELESS)
    ? undefined
    : { session_id, title, value, ...(agent === undefined ? {} : { source: agent }) }

import { redactText } from '@panoptes/engine/redact'
import type { Contribution } from './aggregate.ts'

export interface Evidence {
  readonly session_id: string
  readonly title: string
  readonly value: number
  /** Unknown for what Hermes' plugin wrote. */
  readonly source?: string
}

/** Prefix of anonymous ids: a forgotten session is not evidence, but its numbers stay. */
export const NAMELESS = '\u001f'

export const evidenceIn = (
  { session_id, title, agent }: Contribution,
  value: number,
): Evidence | undefined =>
  session_id.startsWith(NAMELESS)
    ? undefined
    : { session_id, title: redactText(title).text, value, ...(agent === undefined ? {} : { source: agent }) }

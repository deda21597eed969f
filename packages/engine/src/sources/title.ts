import { extractUserMessage } from '@panoptes/engine/markers'
import { redactBeginning } from '@panoptes/engine/redact'

const LONGEST_TITLE = 120
/** A title is short, but a long secret may stand at its beginning. */
const LOOKED_AT = 4_096

/**
 * Derives a title for a session without one: the first line of the user's prompt. Redaction comes first, because
 * part of a secret is not recognised as one.
 */
export function promptTitle(text: string): string | null {
  const beginning = redactBeginning(extractUserMessage(text).trimStart(), LOOKED_AT).text
  const line = beginning.split('\n', 1)[0]?.trim() ?? ''
  if (line === '') return null
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1)}…` : line
}

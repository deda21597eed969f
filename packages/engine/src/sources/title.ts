import { personsMessage } from '@panoptes/engine/markers'

const LONGEST_TITLE = 120

/** Derives a title for a session without one: the first line of the user's prompt. */
export function promptTitle(text: string): string | null {
  const line = personsMessage(text).trimStart().split('\n', 1)[0]?.trim() ?? ''
  if (line === '') return null
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1)}…` : line
}

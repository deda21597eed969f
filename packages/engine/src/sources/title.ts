const LONGEST_TITLE = 120

/** A title for a session that has none: the first line of what was asked. */
export function titleOf(text: string): string | null {
  const line = text.trimStart().split('\n', 1)[0]?.trim() ?? ''
  if (line === '') return null
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1)}…` : line
}

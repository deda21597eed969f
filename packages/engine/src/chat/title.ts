const LONGEST = 60

/** The first words of a message, for a list. */
export function titleOf(message: string): string {
  const line = message.trim().split('\n', 1)[0]?.replace(/\s+/g, ' ') ?? ''
  if (line.length <= LONGEST) return line
  const cut = line.slice(0, LONGEST)
  const at = cut.lastIndexOf(' ')
  return `${cut.slice(0, at > 20 ? at : LONGEST)}…`
}

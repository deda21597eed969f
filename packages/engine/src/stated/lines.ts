const LONGEST_LINE = 1_000

/** The lines of a text, each but for what is beyond what a person writes into one. */
export function linesOf(text: string): readonly string[] {
  const lines: string[] = []
  let start = 0
  while (start <= text.length) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, Math.min(end, start + LONGEST_LINE)).trimEnd()
    lines.push(line.isWellFormed() ? line : line.slice(0, -1))
    start = end + 1
  }
  return lines
}

export const isLineStart = (text: string, at: number): boolean => at === 0 || text[at - 1] === '\n'

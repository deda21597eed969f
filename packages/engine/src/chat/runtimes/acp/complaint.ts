const LONGEST = 300
const MOST_LINES = 3
/** What a runtime of JavaScript or Python adds for who writes programs. */
const STACK =
  /^\s*(?:at .+|File ".+", line \d+.*|\^+|Node\.js v\S+|node:\S+:\d+|Traceback .*|[{}\]]+,?|throw .*)$/

/** What a program wrote before it went, for whoever used it: its last lines, without the places in its code, no word cut. */
export function lastComplaint(written: string): string {
  const lines = written
    .split('\n')
    .filter((line) => line.trim() !== '' && !STACK.test(line))
    .map((line) => line.trim())
  const kept: string[] = []
  for (const line of lines.slice(-MOST_LINES).toReversed()) {
    const room = LONGEST - kept.join('\n').length
    if (line.length <= room) kept.unshift(line)
    else {
      if (kept.length === 0) kept.unshift(line.slice(-room).replace(/^\S*\s+/, '… '))
      break
    }
  }
  return kept.join('\n')
}

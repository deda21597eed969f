const MOST = 64
const LONGEST = 4_096
const BULLET = /^\s*(?:[-*+•–]|\d{1,3}[.)])\s+(.*)$/
const BOX = /^\[[ xX]?\]\s+/
const NOTHING = /^\W*(?:none|nothing|no|n\/?a|not[- ]applicable)?\W*$/i
const WORD_ALONE = /^\W*(?:yes|true)\W*$/i
/** A fence or a heading ends a list, also where it is indented. */
const NO_MORE = /^\s*(?:```|~~~|===|#{1,6}\s)/

/** What is to be done still: the bullets after `follow-up-required:`, or what stands beside it. */
export function followUpsFrom(lines: readonly string[]): string[] {
  const [first = '', ...rest] = lines
  const found = [first.slice(first.indexOf(':') + 1).trim()]
  for (const line of rest) {
    if (line.trim() === '') continue
    const bullet = NO_MORE.test(line) ? null : BULLET.exec(line)
    if (bullet !== null) found.push((bullet[1] ?? '').replace(BOX, '').trim())
    else if (found.length > 1 && /^\s+\S/.test(line) && !NO_MORE.test(line))
      found.push(`${found.pop() ?? ''} ${line.trim()}`.slice(0, LONGEST))
    else break
    if (found.length > MOST) break
  }
  const asked = found.filter((text) => !NOTHING.test(text))
  return asked.filter((text, at) => at > 0 || text !== found[0] || !WORD_ALONE.test(text))
}

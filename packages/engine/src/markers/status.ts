import { type Shipped, type StatusMarker, shipped as shippedWord } from '@panoptes/schema'

const SHIPPED = 'shipped:'
const HEADER = 'STATUS-TRUTH MARKER'
const LONGEST_WORD = 200
/** The search looks this far before and after `shipped:`. No marker is longer. */
const REACH = 65_536
const MOST_CHECKS = 64
const CHECK_NAME = /^[\p{L}\p{M}\p{N}_./-]{1,60}-(?:checks?|tests?|build|lint)$/iu
const RESULT = /^[^\p{L}\p{N}]{0,4}(pass|fail|not[-_ ]run)(?:ed|es|s)?(?![\w-])/iu

/**
 * Reads the STATUS-TRUTH marker of a message, line by line. The first `shipped:` with a known value wins,
 * wherever it stands. Every other field comes from the first line of its kind, within its block if the marker
 * has a header.
 */
export function readStatus(message: string): StatusMarker | undefined {
  for (let at = message.indexOf(SHIPPED); at >= 0; at = message.indexOf(SHIPPED, at + 1)) {
    const shipped = isLineStart(message, at) ? parseShipped(message, at + SHIPPED.length) : undefined
    if (shipped !== undefined) return { shipped, ...parseRest(splitLines(findBlock(message, at))) }
  }
  return undefined
}

function parseShipped(message: string, at: number): Shipped | undefined {
  const line = message.slice(at, at + LONGEST_WORD).split('\n', 1)[0] ?? ''
  const word = /^[^\p{L}\p{N}]{0,100}([a-z]+)(?![\w-])/iu.exec(line)?.[1]?.toLowerCase() ?? ''
  return shippedWord.safeParse(word).data
}

/** Returns the text from the preceding header to the next one, or the whole message without a header. */
function findBlock(message: string, at: number): string {
  const start = Math.max(0, at - REACH)
  const near = message.slice(start, at + REACH)
  const before = near.lastIndexOf(HEADER, at - start)
  if (before < 0) return near
  const after = near.indexOf(HEADER, at - start)
  return near.slice(before, after < 0 ? undefined : after)
}

function parseRest(block: readonly string[]): Omit<StatusMarker, 'shipped'> {
  const followUp = block.findIndex((line) => line.startsWith('follow-up-required:'))
  return {
    stubs: parseStubs(findField(block, 'stubs:')),
    checks: parseChecks(block),
    behaviour_verified:
      findField(block, 'behaviour-verified:') ?? findField(block, 'behavior-verified:') ?? null,
    follow_ups: followUp < 0 ? [] : parseFollowUps(block.slice(followUp)),
  }
}

/** `none` and similar words mean zero stubs. Without the line the number is unknown. */
const parseStubs = (line: string | undefined): number | null =>
  line === undefined ? null : Number.parseInt(/\d{1,9}/.exec(line)?.[0] ?? '0', 10)

const findField = (block: readonly string[], name: string): string | undefined =>
  block
    .find((line) => line.startsWith(name))
    ?.slice(name.length)
    .trim()

/** Parses lines such as `cargo-check: PASS`. Unknown results are kept verbatim. */
function parseChecks(block: readonly string[]): StatusMarker['checks'] {
  const checks = new Map<string, string>()
  for (const line of block) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    if (checks.size >= MOST_CHECKS || checks.has(name) || !CHECK_NAME.test(name)) continue
    const value = line.slice(colon + 1).trim()
    const result = RESULT.exec(value)?.[1]?.toUpperCase().replace(/[_ ]/, '-') ?? value
    if (result !== '') checks.set(name, result)
  }
  return [...checks].map(([name, result]) => ({ name, result }))
}

const LONGEST_LINE = 1_000

/** Splits a text into lines and truncates lines longer than anything a person writes. */
function splitLines(text: string): readonly string[] {
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

const isLineStart = (text: string, at: number): boolean => at === 0 || text[at - 1] === '\n'

const MOST = 64
const LONGEST = 4_096
/** A list sign and a space; Chinese and Japanese signs need no space. */
const BULLET = /^\s*(?:(?:[-*+•–—]|\d{1,3}[.)])\s+|(?:[・·]|\d{1,3}[、．）])\s*)(.*)$/
const BOX = /^\[[ xX]?\]\s+/
const NOTHING: ReadonlySet<string> = new Set(['', 'none', 'nothing', 'no', 'na', 'n a', 'not applicable'])
const ALONE: ReadonlySet<string> = new Set(['yes', 'true'])
/** A fence or a heading ends a list, even when indented. */
const NO_MORE = /^\s*(?:```|~~~|===|#{1,6}\s)/

/** Reads the remaining work: the bullets after `follow-up-required:`, or the text on the same line. */
function parseFollowUps(lines: readonly string[]): string[] {
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
  const items = found.filter((text) => !NOTHING.has(normalizeWords(text)))
  return items.filter((text, at) => at > 0 || text !== found[0] || !ALONE.has(normalizeWords(text)))
}

/** Reduces a text to its words in any script, so that texts without words compare as empty. */
const normalizeWords = (text: string): string => (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ').toLowerCase()

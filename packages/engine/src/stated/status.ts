import type { Outcome, StatusMarker } from '@panoptes/schema'
import { followUpsFrom } from './follow-ups.ts'
import { isLineStart, linesOf } from './lines.ts'

const OUTCOMES: ReadonlySet<string> = new Set(['functional', 'partial', 'scaffolding', 'fail'])
const SHIPPED = 'shipped:'
const HEADER = 'STATUS-TRUTH MARKER'
const LONGEST_WORD = 200
/** Before and after `shipped:`; no marker is longer. */
const REACH = 65_536
const MOST_CHECKS = 64
const CHECK_NAME = /^[\w./-]{1,60}-(?:checks?|tests?|build|lint)$/i
const RESULT = /^\W{0,4}(pass|fail|not[-_ ]run)(?:ed|es|s)?(?![\w-])/i

/**
 * The STATUS-TRUTH marker of a message, line by line. The first `shipped:` with a word of ours wins, wherever it stands; of everything
 * else the first line of its kind counts, within its block where the marker has a header.
 */
export function readStatus(message: string): StatusMarker | undefined {
  for (let at = message.indexOf(SHIPPED); at >= 0; at = message.indexOf(SHIPPED, at + 1)) {
    const shipped = isLineStart(message, at) ? outcomeAt(message, at + SHIPPED.length) : undefined
    if (shipped !== undefined) return { shipped, ...restOf(linesOf(blockAround(message, at))) }
  }
  return undefined
}

function outcomeAt(message: string, at: number): Outcome | undefined {
  const line = message.slice(at, at + LONGEST_WORD).split('\n', 1)[0] ?? ''
  const word = /^\W{0,100}?([a-z]+)(?![\w-])/i.exec(line)?.[1]?.toLowerCase() ?? ''
  return OUTCOMES.has(word) ? (word as Outcome) : undefined
}

/** From the header before it to the next one; without a header all of the message. */
function blockAround(message: string, at: number): string {
  const start = Math.max(0, at - REACH)
  const near = message.slice(start, at + REACH)
  const before = near.lastIndexOf(HEADER, at - start)
  if (before < 0) return near
  const after = near.indexOf(HEADER, at - start)
  return near.slice(before, after < 0 ? undefined : after)
}

function restOf(block: readonly string[]): Omit<StatusMarker, 'shipped'> {
  const followUp = block.findIndex((line) => line.startsWith('follow-up-required:'))
  return {
    stubs: Number.parseInt(/\d{1,9}/.exec(fieldOf(block, 'stubs:') ?? '')?.[0] ?? '0', 10),
    checks: checksOf(block),
    behaviour_verified: fieldOf(block, 'behaviour-verified:') ?? fieldOf(block, 'behavior-verified:') ?? null,
    follow_ups: followUp < 0 ? [] : followUpsFrom(block.slice(followUp)),
  }
}

const fieldOf = (block: readonly string[], name: string): string | undefined =>
  block
    .find((line) => line.startsWith(name))
    ?.slice(name.length)
    .trim()

/** `cargo-check: PASS` and the like. What is none of the three words is kept as it stands. */
function checksOf(block: readonly string[]): StatusMarker['checks'] {
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

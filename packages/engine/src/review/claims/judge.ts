import type { Claim, ClaimCheck, Evidence } from '@panoptes/schema'
import { firstLine } from '../ran/judged.ts'
import { type Quote, short, shownQuote } from '../ran/quote.ts'
import { type Claimed, fits } from './claimed.ts'
import type { Digest } from './digest.ts'
import type { PointedCall } from './pointed.ts'
import { subjectsOf } from './words.ts'

/** What a claim says, and by which marks its numbers are found. */
export interface Stated {
  readonly claim: Claim
  readonly claimed: Claimed | undefined
  readonly marks: readonly number[]
  readonly besideMarks: readonly (readonly number[])[]
}

export const open = (says: string, evidence: Evidence | null = null): ClaimCheck => ({
  verdict: 'open',
  says: short(says),
  evidence,
})

const TESTS = /\b(?:tests?|specs?|suites?|checks?)\b/i
const PASS = /\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|ok|fine)\b/i
const FAILURE =
  /\b(?:fail\w{0,6}|errors?|broken?|crash\w{0,5}|red|time[sd]? ?out|reject\w{0,5}|refus\w{0,4})\b/i
const NO_FAILURE = /\b(?:0|no|zero|without(?: any)?) (?:\w{1,20} )?(?:fail\w{0,6}|errors?|crash\w{0,5})\b/i

/** What a call says of a claim. It contradicts only where it speaks of the same thing and was pointed to itself. */
export function judgedByCall(stated: Stated, call: PointedCall, isExact: boolean): ClaimCheck {
  const { claim, claimed } = stated
  const { result } = call
  const evidence = (quote: string | null): Evidence => ({
    source: claim.source,
    session_id: claim.session_id,
    agent_id: call.agent,
    n: call.n,
    tool_use_id: call.id,
    quote: quote === null || quote === '' ? null : short(quote),
  })
  const holds = (says: string, quote: string | null): ClaimCheck => ({
    verdict: 'holds',
    says: short(says),
    evidence: evidence(quote),
  })
  const fails = (says: string, quote: string | null): ClaimCheck => ({
    ...holds(says, quote),
    verdict: 'fails',
  })

  if (result === undefined) return open('That call has no result.', evidence(null))
  const { said, ok } = result
  const saysPass = TESTS.test(claim.value) && (PASS.test(claim.value) || NO_FAILURE.test(claim.value))
  const saysFailure = FAILURE.test(claim.value) && !NO_FAILURE.test(claim.value) && !PASS.test(claim.value)
  const tests = said.tests
  if (saysPass && tests !== undefined && tests.failed > 0)
    return fails(`${tests.failed} failed in that call`, tests.line)
  const found = foundIn(stated, said)
  if (ok === false && !(saysFailure && (found !== undefined || claimed === undefined)))
    return claimed?.figure.value === 0 && !saysPass
      ? // What finds nothing often says so by failing.
        open('That call failed', evidence(firstLine(result.head)))
      : fails('That call failed', firstLine(result.head))
  if (claimed === undefined)
    return holds('That call is there and did what it was asked for', firstLine(result.head))
  if (found !== undefined) return holds(`${found.numbers} in that call`, found.quote)
  const took = claimed.figure.kind === 'duration' ? result.took.find((ms) => isSame(claimed, ms)) : undefined
  if (took !== undefined) return holds(`That call took ${claimed.text}`, null)
  if (isExact) {
    const other = otherThan(claimed, saysPass, said)
    if (other !== undefined && fits(claimed, other.value)) return holds(other.says, other.quote)
    if (other !== undefined && claimed.bound !== 'about') return fails(other.says, other.quote)
  }
  if (countsLines(claimed) && said.lines === claimed.figure.value)
    return holds(`${said.lines} lines in that call`, null)
  const given = foundIn(stated, call.given)
  if (given !== undefined) return holds(`${given.numbers} in what that call was given`, given.quote)
  return open(`That call does not say ${claimed.text}`, evidence(null))
}

const isSame = ({ figure }: Claimed, ms: number): boolean => {
  const step = figure.step ?? 1
  return Math.round(ms / step) === Math.round(figure.value / step)
}

const countsLines = ({ figure }: Claimed): boolean =>
  figure.kind === 'plain' && !figure.hasUnit && Number.isInteger(figure.value) && figure.value >= 2

/** The claimed number in a text, with those beside it that are there too. */
export function foundIn(
  { claimed, marks, besideMarks }: Stated,
  { found }: Pick<Digest, 'found'>,
): { readonly numbers: string; readonly quote: string } | undefined {
  const mark = marks.find((each) => found.has(each))
  if (claimed === undefined || mark === undefined) return undefined
  const others = claimed.beside.filter((_, index) => besideMarks[index]?.some((each) => found.has(each)))
  const all = [...others, claimed].map(({ text }) => text)
  const numbers = all.length === 1 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
  const quote = found.get(mark)
  return { numbers, quote: quote === undefined ? '' : shownQuote(quote) }
}

/** Another number for the same thing: the tests that passed, what is counted by the same word, or the one measure of a like line. */
function otherThan(
  { figure, noun, subjects }: Claimed,
  saysPass: boolean,
  { tests, counted, measured }: Digest,
): Other | undefined {
  if (saysPass && figure.kind === 'plain' && tests?.summaries === 1 && tests.passed !== figure.value)
    return { value: tests.passed, says: `${tests.passed} passed in that call`, quote: tests.line }
  const one = noun === undefined ? undefined : counted.get(noun)
  if (one?.isOnly) return saidOf(one)
  const only = figure.kind === 'plain' ? undefined : measured.get(figure.kind)
  if (!only?.isOnly) return undefined
  const words = subjectsOf(shownQuote(only.quote))
  const isAlike = [...subjects].some((word) => words.has(word))
  return isAlike ? saidOf(only) : undefined
}

interface Other {
  readonly value: number
  readonly says: string
  readonly quote: string | null
}

function saidOf({ value, quote }: { readonly value: number; readonly quote: Quote }): Other {
  const shown = shownQuote(quote)
  return { value, says: `That call says: ${shown}`, quote: shown }
}

import type { Claim, ClaimCheck, Evidence } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { short, shownQuote } from '../tool-calls/quote.ts'
import { firstLine } from '../tool-calls/test-outcome.ts'
import type { TestResult } from '../tool-calls/test-result.ts'
import { type Claimed, fits } from './claim-number.ts'
import { extractSubjects, stem } from './claim-subjects.ts'
import type { Digest } from './digest.ts'
import type { PointedCall } from './referenced-calls.ts'

/** A claim with the marks by which its numbers are found. */
export interface MarkedClaim {
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

/**
 * Judges a claim by a call. The call contradicts it only if both are about the same thing and the
 * claim refers to that very call.
 */
export function judgedByCall(marked: MarkedClaim, call: PointedCall, isExact: boolean): ClaimCheck {
  const { claim, claimed } = marked
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
  const opens = (says: string, quote: string | null): ClaimCheck => open(says, evidence(quote))

  if (result === undefined) return open('That call has no result.', evidence(null))
  const { outputDigest, ok } = result
  const says = parseAssertions(claim.value, claimed)
  const { tests } = outputDigest
  const found = foundIn(marked, outputDigest)
  // Without failures the number may be the total: `12 passed | 3 skipped (15)`.
  if (tests !== undefined && contradict(tests, says, isExact) && !(tests.failed === 0 && found))
    return tests.failed > 0 && says.total === undefined
      ? fails(`${tests.failed} failed in that call`, tests.line)
      : fails(`${tests.passed} passed in that call`, tests.line)
  const some = tests !== undefined && tests.failed > 0 ? `${tests.failed} failed in that call` : undefined
  const failed = some ?? `That call ${result.isCut ? 'was interrupted' : 'failed'}`
  // A test summary says more than the exit code of the call.
  const isFailed = ok === false && !tests?.told
  if (isFailed && isExact && result.isTelling && says.fine && !(says.countsFine && found))
    return fails(failed, firstLine(result.head))
  if (claimed === undefined) {
    if (ok !== false && some === undefined) return holds('That call succeeded', firstLine(result.head))
    return (says.failure ? holds : opens)(failed, tests?.line ?? firstLine(result.head))
  }
  if (tests !== undefined && isTotalAlone(claimed, tests)) return opens(failed, tests.line)
  if (found !== undefined && !(isFailed && says.fine && !says.countsFine))
    return holds(`${found.numbers} in that call`, found.quote)
  const took = claimed.figure.kind === 'duration' ? result.took.find((ms) => isSame(claimed, ms)) : undefined
  if (took !== undefined && !result.isCut) return holds(`That call took ${claimed.text}`, null)
  if (isExact && !claimed.isDoubtful) {
    const other = otherThan(claimed, outputDigest)
    if (other !== undefined && fits(claimed, other.value))
      return holds(`That call says: ${other.quote}`, other.quote)
    if (other?.isSame && claimed.bound !== 'about')
      return fails(`That call says: ${other.quote}`, other.quote)
  }
  if (ok === false) return opens(failed, firstLine(result.head))
  if (countsLines(claimed) && outputDigest.lines === claimed.figure.value)
    return holds(`${plural(outputDigest.lines, 'line')} in that call`, null)
  const inputMatch = foundIn(marked, call.inputDigest)
  if (inputMatch !== undefined)
    return holds(`${inputMatch.numbers} in the input of that call`, inputMatch.quote)
  return open(`That call does not say ${claimed.text}`, evidence(null))
}

/** Fewer than passed may be a subset. */
function contradict(tests: TestResult, { allTests, passed, total }: Says, isExact: boolean): boolean {
  if (allTests && tests.failed > 0) return true
  if (passed === undefined || tests.summaries === 0 || !(isExact || tests.failed > 0)) return false
  const isOther = tests.summaries === 1 && total === tests.passed + tests.failed && passed !== tests.passed
  return passed > tests.passed || isOther
}

/**
 * The claim gives the total of tests of which some failed. Whether it says that they pass is not
 * known in every language.
 */
const isTotalAlone = ({ figure, beside }: Claimed, { failed, passed }: TestResult): boolean =>
  failed > 0 &&
  figure.kind === 'plain' &&
  figure.value === failed + passed &&
  ![figure, ...beside.map((other) => other.figure)].some(({ value }) => value === failed || value === passed)

const isSame = ({ figure }: Claimed, ms: number): boolean => {
  const step = figure.step ?? 1
  return Math.round(ms / step) === Math.round(figure.value / step)
}

const countsLines = ({ figure }: Claimed): boolean =>
  figure.kind === 'plain' && !figure.hasUnit && Number.isInteger(figure.value) && figure.value >= 2

/** Finds the claimed number in a text, with the other numbers of the claim that occur too. */
export function foundIn(
  { claimed, marks, besideMarks }: MarkedClaim,
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

/**
 * Finds a different number for what may be the same thing: counted by the same noun, or the only
 * measure of a similar line.
 */
export function otherThan(
  { figure, noun, subjects }: Claimed,
  { counted, measured }: Digest,
): Other | undefined {
  const isCount = figure.kind === 'plain'
  const only = isCount ? counted.get(noun ?? '') : measured.get(figure.kind)
  if (!only?.isOnly) return undefined
  const quote = shownQuote(only.quote)
  const words = extractSubjects(quote)
  const about = [...subjects].filter((word) => word !== noun && !SAYING.has(word))
  if (!isCount && !about.some((word) => words.has(word))) return undefined
  return { value: only.value, quote, isSame: about.every((word) => words.has(word)) }
}

/** Verbs of reporting, which do not say what is reported. */
const SAYING: ReadonlySet<string> = new Set(
  'there here found finds says shows report prints lists count gives gave now left remains exactly we you they'
    .split(' ')
    .map(stem),
)

export interface Other {
  readonly value: number
  readonly quote: string
  /** The claim mentions nothing that the line does not. */
  readonly isSame: boolean
}

/**
 * What a claim asserts about success. In an unknown language it asserts nothing, so nothing contradicts
 * it.
 */
interface Says {
  /** True if it asserts that something succeeded. */
  readonly fine: boolean
  /** True if it asserts that all tests passed, and not only some of them. */
  readonly allTests: boolean
  /** The number of tests that passed, according to the claim. */
  readonly passed: number | undefined
  /** The total number of tests, if the claim names it. */
  readonly total: number | undefined
  readonly failure: boolean
  /** The things it counts succeeded: `4 requests succeed`. */
  readonly countsFine: boolean
}

const TESTS = /\b(?:tests?|specs?|suites?|checks?)\b/i
/** Does not match `pass 3 arguments` or `fine-tuned`. */
const PASS =
  /\b(?:pass(?:es|ed|ing)?(?! (?:(?:the|an?|it|them|its|along|through)\b|-|\d))|green|succeed(?:s|ed)?|ok|fine)\b(?!-)/i
const FAILURE =
  /\b(?:fail\w{0,6}|errors?|broken?|crash\w{0,5}|red|time[sd]? ?out|reject\w{0,5}|refus\w{0,4})\b/i
const NO_FAILURE = /\b(?:0|no|zero|without(?: any)?) (?:\w{1,20} )?(?:fail\w{0,6}|errors?|crash\w{0,5})\b/i
const NO_TEST_FAILURE = /\b(?:0|no|zero|without(?: any)?) (?:tests? )?fail\w{0,6}\b/i
const NEGATED =
  /\b(?:not|never|cannot|no longer|yet to|except|but|besides|apart from|other than|unless)\b|n['’]t\b/i
/** Matches only without a preceding word that selects some tests. */
const ALL_TESTS =
  /(?:^|[^\p{L}\p{N}\s-]\s{0,4}|\b(?:all|the|every|each|our|my|whole|entire|full|and|now|then|of)\s{1,4}(?:\d{1,9}\s{1,4})?)(?:tests?|specs?|(?:test )?suites?|checks?)\b/iu
const COUNTS_FINE =
  /\d(?:[ \t]{1,4}[\p{L}-]{1,30}){0,3}[ \t]{1,4}(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|ok|fine)\b/iu
const PART = /\b(\d{1,9}) ?(?:of|out of|\/)(?: the| all)? ?(\d{1,9})\b/i
/** Matches after a number that counts tests. */
const OF_TESTS =
  /^[ \t]{0,4}(?:(?:[\p{L}-]{1,30}[ \t]{1,4})?(?:tests?(?! (?:files?|suites?|modules?|classes))|specs?|examples)|pass(?:es|ed|ing)?|green)\b/iu

function parseAssertions(value: string, claimed: Claimed | undefined): Says {
  const part = PART.exec(value)
  const isPart = part !== null && Number(part[1]) < Number(part[2])
  const isNegated = NEGATED.test(value)
  const isWell = PASS.test(value) && !isNegated
  const isOfTests = TESTS.test(value) && isWell
  const isCount =
    claimed !== undefined &&
    claimed.figure.kind === 'plain' &&
    !claimed.isDoubtful &&
    OF_TESTS.test(claimed.after)
  return {
    fine: (isWell || (NO_FAILURE.test(value) && !isNegated)) && !isPart,
    allTests: !isPart && ((isOfTests && !isCount && ALL_TESTS.test(value)) || NO_TEST_FAILURE.test(value)),
    passed: isOfTests ? (isPart ? Number(part[1]) : isCount ? claimed.figure.value : undefined) : undefined,
    total: isPart ? Number(part[2]) : undefined,
    failure: FAILURE.test(value) && !NO_FAILURE.test(value) && !PASS.test(value) && !isNegated,
    countsFine: isPart || COUNTS_FINE.test(value),
  }
}

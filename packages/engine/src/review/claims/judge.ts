import type { Claim, ClaimCheck, Evidence } from '@panoptes/schema'
import { firstLine } from '../ran/judged.ts'
import { short, shownQuote } from '../ran/quote.ts'
import type { TestResult } from '../ran/test-result.ts'
import { type Claimed, fits } from './claimed.ts'
import type { Digest } from './digest.ts'
import type { PointedCall } from './pointed.ts'
import { type Says, saysOf } from './says.ts'
import { stemOf, subjectsOf } from './words.ts'

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
  const opens = (says: string, quote: string | null): ClaimCheck => open(says, evidence(quote))

  if (result === undefined) return open('That call has no result.', evidence(null))
  const { said, ok } = result
  const says = saysOf(claim.value, claimed)
  const { tests } = said
  const found = foundIn(stated, said)
  // Where none failed, the number may be that of all there are: `12 passed | 3 skipped (15)`.
  if (tests !== undefined && contradict(tests, says, isExact) && !(tests.failed === 0 && found))
    return tests.failed > 0 && says.total === undefined
      ? fails(`${tests.failed} failed in that call`, tests.line)
      : fails(`${tests.passed} passed in that call`, tests.line)
  const some = tests !== undefined && tests.failed > 0 ? `${tests.failed} failed in that call` : undefined
  const failed = some ?? `That call ${result.isCut ? 'was ended from outside' : 'failed'}`
  // Tests that sum up tell more than how the call ended.
  const isFailed = ok === false && !tests?.told
  if (isFailed && isExact && result.isTelling && says.fine && !(says.countsFine && found))
    return fails(failed, firstLine(result.head))
  if (claimed === undefined) {
    if (ok !== false && some === undefined)
      return holds('That call is there and did what it was asked for', firstLine(result.head))
    return (says.failure ? holds : opens)(failed, tests?.line ?? firstLine(result.head))
  }
  if (tests !== undefined && isTotalAlone(claimed, tests)) return opens(failed, tests.line)
  if (found !== undefined && !(isFailed && says.fine && !says.countsFine))
    return holds(`${found.numbers} in that call`, found.quote)
  const took = claimed.figure.kind === 'duration' ? result.took.find((ms) => isSame(claimed, ms)) : undefined
  if (took !== undefined && !result.isCut) return holds(`That call took ${claimed.text}`, null)
  if (isExact && !claimed.isDoubtful) {
    const other = otherThan(claimed, said)
    if (other !== undefined && fits(claimed, other.value))
      return holds(`That call says: ${other.quote}`, other.quote)
    if (other?.isSame && claimed.bound !== 'about')
      return fails(`That call says: ${other.quote}`, other.quote)
  }
  if (ok === false) return opens(failed, firstLine(result.head))
  if (countsLines(claimed) && said.lines === claimed.figure.value)
    return holds(`${said.lines} lines in that call`, null)
  const given = foundIn(stated, call.given)
  if (given !== undefined) return holds(`${given.numbers} in what that call was given`, given.quote)
  return open(`That call does not say ${claimed.text}`, evidence(null))
}

/** Fewer than passed may be some of them. */
function contradict(tests: TestResult, { allTests, passed, total }: Says, isExact: boolean): boolean {
  if (allTests && tests.failed > 0) return true
  if (passed === undefined || tests.summaries === 0 || !(isExact || tests.failed > 0)) return false
  const isOther = tests.summaries === 1 && total === tests.passed + tests.failed && passed !== tests.passed
  return passed > tests.passed || isOther
}

/** How many tests there are, where some of them failed: whether they are said to pass is not known in every language. */
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

/** Another number for what may be the same thing: what is counted by the same word, or the one measure of a like line. */
export function otherThan(
  { figure, noun, subjects }: Claimed,
  { counted, measured }: Digest,
): Other | undefined {
  const isCount = figure.kind === 'plain'
  const only = isCount ? counted.get(noun ?? '') : measured.get(figure.kind)
  if (!only?.isOnly) return undefined
  const quote = shownQuote(only.quote)
  const words = subjectsOf(quote)
  const about = [...subjects].filter((word) => word !== noun && !SAYING.has(word))
  if (!isCount && !about.some((word) => words.has(word))) return undefined
  return { value: only.value, quote, isSame: about.every((word) => words.has(word)) }
}

/** Words for that something is said, not for what. */
const SAYING: ReadonlySet<string> = new Set(
  'there here found finds says shows report prints lists count gives gave now left remains exactly we you they'
    .split(' ')
    .map(stemOf),
)

export interface Other {
  readonly value: number
  readonly quote: string
  /** Nothing is claimed that the line does not speak of. */
  readonly isSame: boolean
}

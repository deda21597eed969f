import type { Claimed } from './claimed.ts'

/** What a claim says of how something went. In a language that is not known it says nothing, and so nothing contradicts it. */
export interface Says {
  /** That it went well. */
  readonly fine: boolean
  /** That tests did, and of all there are: not of some that it picks out. */
  readonly allTests: boolean
  /** How many tests are said to have passed. */
  readonly passed: number | undefined
  /** Of how many, where it says so. */
  readonly total: number | undefined
  readonly failure: boolean
  /** That things went well that it counts: `4 requests succeed`. */
  readonly countsFine: boolean
}

const TESTS = /\b(?:tests?|specs?|suites?|checks?)\b/i
/** Not `pass 3 arguments`, `fine-tuned`. */
const PASS =
  /\b(?:pass(?:es|ed|ing)?(?! (?:(?:the|an?|it|them|its|along|through)\b|-|\d))|green|succeed(?:s|ed)?|ok|fine)\b(?!-)/i
const FAILURE =
  /\b(?:fail\w{0,6}|errors?|broken?|crash\w{0,5}|red|time[sd]? ?out|reject\w{0,5}|refus\w{0,4})\b/i
const NO_FAILURE = /\b(?:0|no|zero|without(?: any)?) (?:\w{1,20} )?(?:fail\w{0,6}|errors?|crash\w{0,5})\b/i
const NO_TEST_FAILURE = /\b(?:0|no|zero|without(?: any)?) (?:tests? )?fail\w{0,6}\b/i
const NEGATED =
  /\b(?:not|never|cannot|no longer|yet to|except|but|besides|apart from|other than|unless)\b|n['’]t\b/i
/** Without a word before it that says which. */
const ALL_TESTS =
  /(?:^|[^\p{L}\p{N}\s-]\s{0,4}|\b(?:all|the|every|each|our|my|whole|entire|full|and|now|then|of)\s{1,4}(?:\d{1,9}\s{1,4})?)(?:tests?|specs?|(?:test )?suites?|checks?)\b/iu
const COUNTS_FINE =
  /\d(?:[ \t]{1,4}[\p{L}-]{1,30}){0,3}[ \t]{1,4}(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|ok|fine)\b/iu
const PART = /\b(\d{1,9}) ?(?:of|out of|\/)(?: the| all)? ?(\d{1,9})\b/i
/** After a number: what is counted are tests. */
const OF_TESTS =
  /^[ \t]{0,4}(?:(?:[\p{L}-]{1,30}[ \t]{1,4})?(?:tests?(?! (?:files?|suites?|modules?|classes))|specs?|examples)|pass(?:es|ed|ing)?|green)\b/iu

export function saysOf(value: string, claimed: Claimed | undefined): Says {
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

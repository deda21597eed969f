import type { Quantity } from '@panoptes/schema'
import { type Claimed, claimedIn, normalizePhrase } from './claim-number.ts'
import { figuresIn } from './figures.ts'

/** The content of an estimate, and what it can be compared with. */
export interface Estimated {
  readonly quantity: Quantity
  readonly said: number
  readonly noun: string | undefined
  readonly subjects: ReadonlySet<string>
  /**
   * `work` means the rest of its turn; `lines` and `files` what is edited in it. Otherwise a word
   * of the command that is run next.
   */
  readonly of: 'work' | 'lines' | 'files' | { readonly run: string } | undefined
}

const RUN_WORDS =
  /\b(tests?|suites?|builds?|compil\w{1,6}|bench\w{0,9}|lint\w{0,4}|install\w{0,8}|migrations?|deploy\w{0,5}|(?:sub-?)?agents?|helpers?)\b/i
const ANY_RUN =
  /\b(?:runs?|running|requests?|quer(?:y|ies)|calls?|each|every|per|users?|timeouts?|intervals?)\b/i
const AHEAD =
  /\b(?:will|should|would|shall|going to|expect\w{0,4}|estimat\w{1,5}|eta|plan\w{0,4}|needs?|remaining|left|more|to go|takes?)\b|['’]ll\b/i
const WORK =
  /\b(?:this|it|that|i|we|work|tasks?|job|changes?|implement\w{0,7}|fix|refactor\w{0,4}|rewrite|port|feature|whole|all|everything|rest|remaining|left|more|to go|eta|done|finish\w{0,3})\b|['’]ll\b/i
const CHANGED =
  /\b(?:chang\w{1,3}|edit\w{0,4}|add\w{0,5}|touch\w{0,4}|diff|delet\w{1,4}|remov\w{1,4}|writ\w{1,4}|new|modif\w{1,6}|updat\w{1,4})\b/i
/** Separates the ends of a range. */
const BETWEEN = /^ ?(?:[-–—~]|to|or|\.\.) ?$/

/** Parses the estimate in a phrase; undefined without an amount. */
export function estimatedIn(value: string): Estimated | undefined {
  const phrase = normalizePhrase(value)
  const claimed = claimedIn(value)
  if (claimed === undefined || claimed.figure.kind === 'percent') return undefined
  const claimedValue = middle(phrase, claimed)
  if (!(claimedValue > 0)) return undefined
  const { noun, subjects } = claimed
  const quantity = claimQuantity(claimed)
  return { quantity, said: claimedValue, noun, subjects, of: comparedWith(value, quantity, noun) }
}

function claimQuantity({ figure, noun }: Claimed): Quantity {
  if (figure.kind === 'duration' || figure.kind === 'money') return figure.kind
  return noun === 'token' || noun === 'tok' ? 'tokens' : 'count'
}

function comparedWith(phrase: string, quantity: Quantity, noun: string | undefined): Estimated['of'] {
  if (quantity === 'count' && CHANGED.test(phrase)) {
    if (noun === 'lin' || noun === 'line') return 'lines'
    if (noun === 'fil' || noun === 'file') return 'files'
  }
  if (quantity !== 'duration') return undefined
  const run = RUN_WORDS.exec(phrase)?.[1]
  if (run !== undefined) return { run: run.toLowerCase() }
  if (ANY_RUN.test(phrase)) return undefined
  return AHEAD.test(phrase) && WORK.test(phrase) ? 'work' : undefined
}

/** `3–5 min` is 4 minutes; the first end takes the unit of the second. */
function middle(phrase: string, { figure }: Claimed): number {
  let before: { readonly face: number; readonly value: number; readonly hasUnit: boolean } | undefined
  for (const each of figuresIn(phrase)) {
    if (each.at >= figure.at) break
    const gap = phrase.slice(each.end, figure.at).replace(/\$$/, '')
    before = gap.length <= 5 && BETWEEN.test(gap) ? each : undefined
  }
  if (before === undefined) return figure.value
  const low = before.hasUnit ? before.value : before.face * (figure.value / figure.face)
  return (low + figure.value) / 2
}

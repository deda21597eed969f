import type { Claim, Quantity } from '@panoptes/schema'
import type { Estimated } from './estimated.ts'

/** A number that was claimed to be measured. */
interface Stated {
  readonly claim: Claim
  readonly amount: Estimated
}

/** Claims of what was measured, by what they speak of: the first after an estimate is found without going over all of them. */
export class LaterClaims {
  readonly #places = new Map<string, number[]>()
  readonly #claims: ReadonlyMap<number, Stated>

  /** By their rank in time, in that order. */
  constructor(claims: ReadonlyMap<number, Stated>) {
    this.#claims = claims
    for (const [place, { amount }] of claims) {
      const words = subjectsBeside(amount)
      for (const word of words) this.#put(keyOf(amount, word), place)
      if (words.length === 0) this.#put(keyOf(amount, ''), place)
      this.#put(keyOf(amount, '*'), place)
    }
  }

  /** The first claim after an estimate that is of the same quantity and speaks of the same; of a count also what is counted. */
  after(place: number, estimate: Estimated): Stated | undefined {
    const words = subjectsBeside(estimate)
    // Where one side says nothing but what is counted, that is what they share.
    const keys = estimate.quantity === 'count' && words.length === 0 ? ['*'] : [...words]
    if (estimate.quantity === 'count') keys.push('')
    let first: number | undefined
    for (const word of keys) {
      const next = this.#firstLike(estimate, word, place)
      if (next !== undefined && (first === undefined || next < first)) first = next
    }
    return first === undefined ? undefined : this.#claims.get(first)
  }

  #firstLike(estimate: Estimated, word: string, place: number): number | undefined {
    const places = this.#places.get(keyOf(estimate, word)) ?? []
    const from = firstAfter(places, place)
    return places.slice(from, from + MOST_TRIED).find((each) => {
      const amount = this.#claims.get(each)?.amount
      return amount !== undefined && isOfTheSame(estimate, amount)
    })
  }

  #put(key: string, place: number): void {
    const known = this.#places.get(key)
    if (known === undefined) this.#places.set(key, [place])
    else known.push(place)
  }
}

const subjectsBeside = ({ subjects, noun }: Estimated): readonly string[] =>
  [...subjects].filter((word) => word !== noun)

const keyOf = (
  { quantity, noun }: { readonly quantity: Quantity; readonly noun: string | undefined },
  word: string,
): string => `${quantity}\0${quantity === 'count' ? (noun ?? '') : ''}\0${word}`

/** Claims of one word that are looked at. */
const MOST_TRIED = 64
/** What is further off is something else. */
const FARTHEST = 100

/** Half of the words of the one that has more: `migration file parsed` is not the migration. */
function isOfTheSame(estimate: Estimated, { said, ...later }: Estimated): boolean {
  if (said > FARTHEST * estimate.said || said * FARTHEST < estimate.said) return false
  const [own, other] = [subjectsBeside(estimate), subjectsBeside({ said, ...later })]
  const shared = own.filter((word) => other.includes(word)).length
  return own.length === 0 || other.length === 0 || 2 * shared >= Math.max(own.length, other.length)
}

/** Where the numbers above another begin. */
function firstAfter(sorted: readonly number[], place: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const mid = (low + high) >> 1
    if ((sorted[mid] as number) > place) high = mid
    else low = mid + 1
  }
  return low
}

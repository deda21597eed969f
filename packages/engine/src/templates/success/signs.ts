/**
 * A pattern, and what is in every text that it fits: looking for that is many times faster, and most results have none of it.
 * Each pattern begins at a line or at words that are seldom, and repeats nothing without a bound, so that a text of any kind
 * takes time by its length alone.
 */
export interface Sign {
  readonly has: readonly string[]
  readonly pattern: RegExp
}

export const shows = (text: string, { has, pattern }: Sign): boolean =>
  has.some((part) => text.includes(part)) && pattern.test(text)

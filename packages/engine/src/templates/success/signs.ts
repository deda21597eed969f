/**
 * A pattern and substrings that every match contains. Searching for the substrings is many times
 * faster, and most results contain none. Each pattern is anchored at a line or a rare word and has
 * no unbounded repetition, so it takes linear time on any text.
 */
export interface Sign {
  readonly has: readonly string[]
  readonly pattern: RegExp
}

export const shows = (text: string, { has, pattern }: Sign): boolean =>
  has.some((part) => text.includes(part)) && pattern.test(text)

/** Words that do not say what is counted. */
const EMPTY: ReadonlySet<string> = new Set(
  (
    'the a an and or of in on at to for from with by as is are was were be been has have had it its this that these those ' +
    'about around roughly approximately approx circa nearly almost some only just more less than over under up most least ' +
    'take takes took taken taking will would should could might may can need needs expect expected estimate estimated eta ' +
    'all now then so far total each per every one two three not no yes last next first new old still per run-time ' +
    'second seconds sec secs minute minutes min mins hour hours hrs hr day days week weeks ms token tokens dollar dollars usd ' +
    'full time times done'
  ).split(' '),
)
const WORD = /\p{L}[\p{L}\d-]{1,39}/gu

/** Removes the ending of a word. */
export function stem(word: string): string {
  const low = word.toLowerCase()
  for (const end of ['ations', 'ation', 'ings', 'ing', 'ies', 'ed', 'es', 's', 'e'])
    if (low.endsWith(end) && low.length - end.length >= 3) return low.slice(0, low.length - end.length)
  return low
}

/** Returns what a phrase is about, at most a dozen words. */
export function extractSubjects(phrase: string): ReadonlySet<string> {
  const stems = new Set<string>()
  for (const [word] of phrase.matchAll(WORD)) {
    if (EMPTY.has(word.toLowerCase())) continue
    stems.add(stem(word))
    if (stems.size === 12) break
  }
  return stems
}

const NOUN = /[ \t]{1,4}(\p{L}[\p{L}-]{1,39})/uy

/** Returns the noun after a number, if it says what is counted. */
export function nounAfter(text: string, end: number): string | undefined {
  NOUN.lastIndex = end
  const word = NOUN.exec(text)?.[1]
  return word === undefined || NO_NOUN.has(word.toLowerCase()) ? undefined : stem(word)
}

const NO_NOUN: ReadonlySet<string> = new Set(
  'of in on at to for from with by and or is are was were more less than times out after before'.split(' '),
)

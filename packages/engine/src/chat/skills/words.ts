const MOST_CHARS = 8_000
const SHORT = 2

/** Words that say nothing of what is wanted. */
const COMMON = new Set(
  'a about all also am an and any are as at be been but by can could did do does for from get give had has have he her his how i if in into is it its just like make me more my need no not now of on one or our out please she should so some such tell than that the their them then there these they this to too up us use used using very want was we were what when where which while who why will with would you your'.split(
    ' ',
  ),
)

/** What a text is about, for comparing it with others: words in lower case, common ones left out; of writing without spaces, pairs of signs. */
export function wordsOf(text: string): readonly string[] {
  const found: string[] = []
  for (const [run] of text
    .slice(0, MOST_CHARS)
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(run)) {
      const signs = [...run]
      if (signs.length === 1) found.push(run)
      for (let at = 0; at + 1 < signs.length; at += 1) found.push(`${signs[at]}${signs[at + 1]}`)
    } else if (run.length >= SHORT && !COMMON.has(run)) found.push(stemOf(run))
  }
  return found
}

/** Plurals and forms of verbs count as one word, roughly. */
function stemOf(word: string): string {
  for (const ending of ['ations', 'ation', 'ings', 'ing', 'ies', 'ed', 'es', 's'])
    if (word.endsWith(ending) && word.length - ending.length >= 4)
      return word.slice(0, -ending.length) + (ending === 'ies' ? 'y' : '')
  return word
}

/** The matched letters of a text, as [from, to) pairs. */
export type MatchRanges = readonly (readonly [from: number, to: number])[]

export interface Match {
  /** Lower is better. */
  readonly rank: number
  readonly title: MatchRanges
  readonly hint: MatchRanges
}

/**
 * Matches typed text against a title or its hint: word starts first, then anywhere, then letter by letter.
 */
export function match(typed: string, title: string, hint: string): Match | null {
  const query = typed.trim().toLowerCase()
  if (query === '') return { rank: 0, title: [], hint: [] }
  const inTitle = find(query, title)
  const inHint = find(query, hint)
  if (inTitle)
    return { rank: inTitle.atWord ? 1 : 2, title: [inTitle.range], hint: inHint ? [inHint.range] : [] }
  if (inHint) return { rank: inHint.atWord ? 3 : 4, title: [], hint: [inHint.range] }
  const scattered = scatter(query, title)
  return scattered && { rank: 5, title: scattered, hint: [] }
}

function find(query: string, text: string): { range: readonly [number, number]; atWord: boolean } | null {
  const lower = text.toLowerCase()
  let first = -1
  for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower[at - 1] ?? ''))
      return { range: [at, at + query.length], atWord: true }
    if (first < 0) first = at
  }
  return first < 0 ? null : { range: [first, first + query.length], atWord: false }
}

function scatter(query: string, text: string): MatchRanges | null {
  const lower = text.toLowerCase()
  const marks: [number, number][] = []
  let at = 0
  for (const letter of query.replaceAll(' ', '')) {
    const found = lower.indexOf(letter, at)
    if (found < 0) return null
    const before = marks.at(-1)
    if (before && before[1] === found) before[1] = found + letter.length
    else marks.push([found, found + letter.length])
    at = found + letter.length
  }
  return marks
}

import { createHash } from 'node:crypto'

/** Text that looks like one of our fences. */
const LIKE_A_FENCE = /<(?=\s{0,20}\/?\s{0,20}data-)/gi

const MARK = 10

/**
 * Marks where remembered text begins and ends. The marker is derived from the text and does not
 * occur in it, so nothing in the text can close the fence. The same text always gets the same
 * fence.
 */
export function fenced(kind: string, text: string): string {
  const safe = text.replace(LIKE_A_FENCE, '‹')
  const mark = markFor(kind, safe)
  return `<data-${mark} kind="${kind}">\n${safe}\n</data-${mark}>`
}

function markFor(kind: string, text: string): string {
  let mark = hash(`${kind}\n${text}`)
  while (text.includes(mark)) mark = hash(mark)
  return mark
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, MARK)

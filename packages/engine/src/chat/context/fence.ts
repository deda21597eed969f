import { createHash } from 'node:crypto'

/** What looks like a fence of ours. */
const LIKE_A_FENCE = /<(?=\s{0,20}\/?\s{0,20}data-)/gi

const MARK = 10

/**
 * Says where remembered text begins and ends. The mark in both lines follows from the text and is not in it, so that nothing in the
 * text can end it; the same text is always fenced the same.
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

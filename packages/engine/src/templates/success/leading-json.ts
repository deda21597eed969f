/** What may end a text or nest: everything else is passed over. */
const MARKS = /["{}[\]]/g
const TEXT_END = /["\\]/g

/** The object or list that a text begins with, where words follow it; the whole text where it has no end. */
export function leadingJson(text: string): string {
  let depth = 0
  MARKS.lastIndex = 0
  for (let mark = MARKS.exec(text); mark; mark = MARKS.exec(text)) {
    const [sign] = mark
    if (sign === '"') {
      const end = textEnd(text, mark.index + 1)
      if (end < 0) return text
      MARKS.lastIndex = end
      continue
    }
    depth += sign === '{' || sign === '[' ? 1 : -1
    if (depth <= 0) return text.slice(0, mark.index + 1)
  }
  return text
}

/** Past the quote that ends a text; below 0 where none does. */
function textEnd(text: string, from: number): number {
  TEXT_END.lastIndex = from
  for (let mark = TEXT_END.exec(text); mark; mark = TEXT_END.exec(text)) {
    if (mark[0] === '"') return mark.index + 1
    TEXT_END.lastIndex = mark.index + 2
  }
  return -1
}

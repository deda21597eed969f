/** A part of a text that stands for itself: words in Markdown, or a block of code. */
export type Piece =
  | { readonly kind: 'prose'; readonly text: string }
  | {
      readonly kind: 'code'
      readonly language: string
      readonly text: string
      /** Whether its end was written already. */
      readonly isClosed: boolean
    }

/** A list longer than this is taken apart between its items. */
const LONG = 4_000
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s/

/**
 * A text taken apart where a blank line or a block of code ends a part for good. While a text grows, all parts but the last stay
 * as they are, so that only the last is read anew. In linear time.
 */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let lines: string[] = []
  let length = 0
  let isList = false
  let isAfterBlank = false
  let fence: { readonly mark: string; readonly language: string } | null = null
  const close = () => {
    if (lines.some((line) => line.trim() !== '')) pieces.push({ kind: 'prose', text: lines.join('\n') })
    lines = []
    length = 0
  }
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)
    if (fence !== null) {
      if (mark && isEndOf(fence.mark, mark)) {
        pieces.push({ kind: 'code', language: fence.language, text: lines.join('\n'), isClosed: true })
        lines = []
        length = 0
        isAfterBlank = true
        fence = null
      } else lines.push(line)
      continue
    }
    if (mark && opens(mark)) {
      close()
      fence = { mark: mark[1] ?? '', language: (mark[2] ?? '').trim().split(/\s/, 1)[0] ?? '' }
      continue
    }
    const isItem = ITEM.test(line)
    const isNew = isAfterBlank && line !== '' && !/^\s/.test(line) && !(isItem && isList)
    if (lines.length > 0 && (isNew || (isItem && isList && length > LONG))) close()
    if (lines.length === 0) isList = isItem
    lines.push(line)
    length += line.length + 1
    isAfterBlank = line.trim() === ''
  }
  if (fence !== null)
    pieces.push({ kind: 'code', language: fence.language, text: lines.join('\n'), isClosed: false })
  else close()
  return pieces
}

/** What stands after backticks must have none itself. */
const opens = ([, mark = '', rest = '']: RegExpExecArray): boolean =>
  mark.startsWith('~') || !rest.includes('`')

const isEndOf = (open: string, [, mark = '', rest = '']: RegExpExecArray): boolean =>
  mark[0] === open[0] && mark.length >= open.length && rest.trim() === ''

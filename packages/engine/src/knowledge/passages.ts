import type { IndexedPassage } from '@panoptes/engine/store'

/** The size of a passage in characters, which is about as much as a reader takes in at once. */
const LONG = 1_000
const LONGEST_HEADING = 200

const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

interface Heading {
  readonly level: number
  readonly text: string
}

/** Splits a text into searchable passages: Markdown by headings, other text by paragraphs. */
export function splitPassages(text: string, isMarkdown: boolean): readonly IndexedPassage[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  return isMarkdown
    ? splitMarkdown(lines)
    : splitText(lines.join('\n')).map((text) => ({ headings: [], text }))
}

function splitMarkdown(lines: readonly string[]): readonly IndexedPassage[] {
  const passages: IndexedPassage[] = []
  let under: readonly Heading[] = []
  let held: string[] = []
  let fence: string | undefined
  const end = (next?: Heading) => {
    const headings = under.map(({ text }) => text)
    const parts = splitText(held.join('\n'))
    const own = under.at(-1)
    // A heading without text of its own becomes a passage, so that it can be found.
    if (parts.length === 0 && own !== undefined && own.level >= (next?.level ?? 0)) parts.push(own.text)
    for (const text of parts) passages.push({ headings, text })
    held = []
    if (next !== undefined) under = [...under.filter(({ level }) => level < next.level), next]
  }
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      held.push(line)
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      continue
    }
    if (mark !== undefined) fence = mark
    const heading = mark === undefined ? findHeading(line, held) : undefined
    if (heading === undefined) held.push(line)
    else end(heading)
  }
  end()
  return passages
}

/** Also consumes the preceding line when this line underlines it. */
function findHeading(line: string, before: string[]): Heading | undefined {
  const [, marks, words = ''] = HEADING.exec(line) ?? []
  if (marks !== undefined) return { level: marks.length, text: headingText(words) }
  const underline = UNDERLINE.exec(line)?.[1]
  const last = before.at(-1)?.trim() ?? ''
  const isAlone = (before.at(-2) ?? '').trim() === ''
  if (underline === undefined || last === '' || !isAlone || !/^[\p{L}\p{N}]/u.test(last)) return undefined
  before.pop()
  return { level: underline.startsWith('=') ? 1 : 2, text: headingText(last) }
}

function headingText(words: string): string {
  let end = words.trimEnd().length
  while (end > 0 && words[end - 1] === '#') end -= 1
  return words.slice(0, end).trim().slice(0, LONGEST_HEADING).toWellFormed()
}

/** Joins paragraphs up to the size of a passage and cuts longer ones between words. */
function splitText(text: string): string[] {
  const found: string[] = []
  let held = ''
  const addPiece = () => {
    const whole = held.replace(/^\n+/, '').trimEnd()
    if (whole.trim() !== '') found.push(whole.toWellFormed())
    held = ''
  }
  for (const paragraph of text.split(/\n(?:[ \t]*\n)+/)) {
    if (held !== '' && held.length + paragraph.length + 2 > LONG) addPiece()
    held = held === '' ? paragraph : `${held}\n\n${paragraph}`
    while (held.length > LONG) {
      const rest = held.slice(findCut(held))
      held = held.slice(0, held.length - rest.length)
      addPiece()
      held = rest
    }
  }
  addPiece()
  return found
}

/** Returns where to cut a long text: after a line, else after a word, else between characters. */
function findCut(text: string): number {
  const head = text.slice(0, LONG)
  for (const sign of ['\n', ' ', '\t', '。', '、']) {
    const at = head.lastIndexOf(sign)
    if (at > LONG / 2) return at + 1
  }
  return head.isWellFormed() || !text.isWellFormed() ? LONG : LONG - 1
}

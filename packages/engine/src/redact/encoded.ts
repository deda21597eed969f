import { characterSet, has } from './characters.ts'
import { INVISIBLE_CHARACTERS, isInvisible } from './invisible.ts'

/** A text with its escapes decoded, and the position of each character in the original. */
export interface View {
  readonly text: string
  /** Positions of removed invisible characters. A word may begin there although a letter precedes it. */
  readonly breaks: ReadonlySet<number>
  /** Returns the range of the original that encodes the characters from `start` to `end`. */
  readonly range: (start: number, end: number) => { readonly start: number; readonly end: number }
}

/** The beginnings of escapes, so that a scan of the text finds them in the same pass. */
export const ESCAPE_STARTS: readonly string[] = [
  ...[
    '\\u00',
    '\\u034f',
    '\\u061c',
    '\\u11',
    '\\u180',
    '\\u20',
    '\\u3164',
    '\\ufe',
    '\\uff',
    '\\udb40',
    '\\u{',
  ],
  ...['\\x', '\\0', '\\1', '\\/', '\\\n', '\\\r\n', '\\e[', '^[[', '\u001b'],
  ...['%', '=3D', '=\n', '=\r\n', '&#', '&quot;', '&apos;', '&amp;', '&lt;', '&gt;', '&equals;', '&colon;'],
  ...['&shy;', '&zw'],
]

const SPELLED =
  /%(?:u00)?[0-7c-f][0-9a-f]|\\[01][0-7]{2}|\\x[0-79][0-9a-f]|=\r?\n|\\\/|[^%\\=]|\\[ue\r\n]|=3D/iy
const inKey = characterSet('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+_-')

/** Checks whether an escape really starts here. Code is full of `50%`, `\/` and lines that end with `=`. */
export function isEscape(text: string, at: number): boolean {
  SPELLED.lastIndex = at
  if (!SPELLED.test(text)) return false
  const continues = text[at] === '=' ? !text.startsWith('=3', at) : text.startsWith('\\/', at)
  return !continues || (has(inKey, text, at - 1) && has(inKey, text, SPELLED.lastIndex))
}

const ENCODED = '%(?:25){0,4}'
const ESCAPE = `(?:\\x1b|\\\\{1,8}(?:u001b|u\\{1b\\}|x1b|033|e)|\\^\\[|${ENCODED}1b)`
const INVISIBLE = [
  // Control sequences in the general form of ECMA-48.
  `(?:${ESCAPE}(?:\\[|${ENCODED}5b)|\\x9b|\\\\{1,8}(?:u00|u\\{|x)9b\\}?)[0-?]{0,32}[ -/]{0,8}[@-~]`,
  // Terminal links and sequences that set the window title.
  '(?:\\x1b\\]|\\x9d)[^\\x07\\x1b\\x9c\\n]{0,512}(?:\\x07|\\x1b\\\\|\\x9c)',
  `${ESCAPE}[ -/]{0,8}[0-~]`,
  '\\udb40[\\udc00-\\udfff]',
  `[\\x1b${INVISIBLE_CHARACTERS.replace(/[\\\]^-]/g, '\\$&')}]`,
  // These are the escaped forms of the same characters.
  '\\\\{1,8}udb40\\\\{1,8}ud[c-f][0-9a-f]{2}',
  '%e2%80%(?:8[b-f]|a[a-e])|%e2%81%a[0-9a-f]|%ef%bb%bf|%ef%b8%8[0-9a-f]|%c2%(?:ad|[89][0-9a-f])|%cd%8f|%d8%9c',
  '%e1%a0%8[b-f]|%e1%85%(?:9f|a0)|%e3%85%a4|%ef%be%a0|%ef%bf%b[9ab]|%f3%a0%[89ab][0-9a-f]%[89ab][0-9a-f]',
  '&(?:shy|zwsp|zwnj|zwj);',
  // A line continues this way in a shell and in quoted-printable.
  '\\\\\\r?\\n[ \\t]{0,64}',
  '=\\r?\\n',
].join('|')

const UNIT = new RegExp(
  [
    `(${INVISIBLE})`,
    // A capital U has eight digits. Six digits without a letter are CSS.
    '\\\\{1,8}(?:(?-i:U)([0-9a-f]{8})|0000([0-7][0-9a-f])|u([0-9a-f]{4})|u\\{0{0,4}([0-9a-f]{1,5})\\}|x([0-7][0-9a-f])|(0[0-3]?[0-7]{2}|1[0-7]{2}))',
    `${ENCODED}(?:u00)?([0-7][0-9a-f])|=(3D)`,
    '&#(\\d{2,7});|&#x([0-9a-f]{1,6});|&(quot|apos|amp|lt|gt|equals|colon);',
    '(\\\\/)',
  ].join('|'),
  'gi',
)

const NAMED: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  amp: '&',
  lt: '<',
  gt: '>',
  equals: '=',
  colon: ':',
}

/** A stretch of the view: copied text, or an escape that decodes to `length` characters. */
interface Piece {
  readonly at: number
  readonly from: number
  readonly to: number
  readonly isEscape: boolean
}

/** Decodes the part of a text from `from` to `to`. Returns undefined when it contains no escapes. */
export function decode(text: string, from: number, to: number): View | undefined {
  const part = text.slice(from, to)
  const pieces: Piece[] = []
  const breaks = new Set<number>()
  let plain = ''
  let copied = 0
  const copy = (end: number) => {
    if (end <= copied) return
    pieces.push({ at: plain.length, from: from + copied, to: from + end, isEscape: false })
    plain += part.slice(copied, end)
  }
  UNIT.lastIndex = 0
  for (let match = UNIT.exec(part); match !== null; match = UNIT.exec(part)) {
    const spelled = spelledBy(match)
    if (spelled === undefined) continue
    copy(match.index)
    copied = UNIT.lastIndex
    if (spelled === '') {
      breaks.add(plain.length)
      continue
    }
    pieces.push({ at: plain.length, from: from + match.index, to: from + copied, isEscape: true })
    plain += spelled
  }
  if (copied === 0) return undefined
  copy(part.length)
  return {
    text: plain,
    breaks,
    range: (start, end) => {
      const first = pieceAt(pieces, start)
      const last = pieceAt(pieces, end - 1)
      return {
        start: first.isEscape ? first.from : first.from + start - first.at,
        end: last.isEscape ? last.to : last.from + end - last.at,
      }
    },
  }
}

/** Returns an empty text for invisible characters, and undefined for non-ASCII characters, which stay. */
function spelledBy(match: RegExpExecArray): string | undefined {
  const [whole, invisible, long, css, u, braced, x, octal, percent, printable, decimal, entityHex, named] =
    match
  if (invisible !== undefined) return ''
  const hex = long ?? css ?? u ?? braced ?? x ?? percent ?? printable ?? entityHex
  if (hex === undefined && octal === undefined && decimal === undefined)
    return named === undefined ? '/' : NAMED[named.toLowerCase()]
  const code =
    hex === undefined
      ? Number.parseInt(octal ?? decimal ?? '', octal === undefined ? 10 : 8)
      : Number.parseInt(hex, 16)
  if (isInvisible(code)) return ''
  if (code > 126) return undefined
  const letter = String.fromCharCode(code)
  // `\u0022` is a quote at the same nesting level as `\"`.
  return letter === '"' || letter === "'" ? `${/^\\*/.exec(whole)?.[0]}${letter}` : letter
}

function pieceAt(pieces: readonly Piece[], at: number): Piece {
  let low = 0
  let high = pieces.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((pieces[middle] as Piece).at <= at) low = middle
    else high = middle - 1
  }
  return pieces[low] as Piece
}

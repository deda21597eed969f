import { blank, characterSet, digit, has, runEnd, slug } from './characters.ts'
import { findClosingQuote, isClosing, parseOpeningQuote, skipQuote } from './quotes.ts'
import { afterSuffix } from './secret-names.ts'
import type { Setting } from './value.ts'

const MOST_BLANKS = 8
const bareEnd = characterSet('"\'`\\;,&| \t\r\n\u001b')

/** The first characters are enough to judge a value without quotes. A secret is then replaced as a whole. */
const JUDGED = 64

/** A value after its name. */
export interface Value {
  readonly start: number
  readonly end: number
  readonly setting: Setting
  /** The quotes of its name, for a JSON number. */
  readonly around?: string
}

export const skipBlanks = (text: string, at: number): number => runEnd(blank, text, at, at + MOST_BLANKS)

/** Finds the value of a name whose known part starts at `nameStart`: `name=…`, `"name": "…"`, `--name …`. */
export function valueAfter(text: string, nameStart: number, nameEnd: number): Value | undefined {
  const name = afterSuffix(text, nameEnd)
  if (has(slug, text, name)) return undefined
  const closed = skipQuote(text, name)
  // `config['password'] = …`
  const gap = skipBlanks(text, closed > name && text[closed] === ']' ? closed + 1 : closed)
  const separator = text[gap]
  if (separator === '>' && gap === name) return elementAt(text, nameStart, gap + 1)
  if (separator !== '=' && separator !== ':') {
    const named = closed > name ? siblingAt(text, closed) : entryAt(text, nameStart, name)
    if (named !== undefined) return named
    const tagEnd = closed === name ? attributesEnd(text, nameStart, name) : undefined
    if (tagEnd !== undefined) return elementAt(text, nameStart, tagEnd)
    const follows = gap === name + 1 && (isFlag(text, nameStart) || isSet(text, nameStart))
    return follows ? valueAt(text, gap, 'loose') : undefined
  }
  if (text[gap + 1] === separator) return undefined
  const arrow = text[gap + 1] === '>' || (separator === ':' && text[gap + 1] === '=')
  const start = skipBlanks(text, gap + (arrow ? 2 : 1))
  if (closed > name && has(digit, text, start))
    return { start, end: runEnd(digit, text, start), setting: 'quoted', around: text.slice(name, closed) }
  return valueAt(text, start, start === name + 1 ? 'tight' : 'loose')
}

function valueAt(text: string, start: number, setting: Setting): Value | undefined {
  const opened = parseOpeningQuote(text, start)
  if (!opened) return { start, end: bareUntil(text, start, start + JUDGED), setting }
  if (isClosing(text, opened)) return undefined
  return { start: opened.start, end: findClosingQuote(text, opened), setting: 'quoted' }
}

const LONGEST_TAG = 64
const LONGEST_ELEMENT = 4_096
const OPENING_TAG = /<[\w.:-]*$/

const CDATA = '<![CDATA['

/** Finds the text of `<password>…</password>`. */
function elementAt(text: string, nameStart: number, from: number): Value | undefined {
  if (!isOpeningTag(text, nameStart)) return undefined
  const start = text.startsWith(CDATA, from) ? from + CDATA.length : from
  const closing = start > from ? ']]>' : '</'
  let end = start
  while (end < start + LONGEST_ELEMENT && end < text.length && text[end] !== closing[0] && text[end] !== '"')
    end += 1
  return text.startsWith(closing, end) || (start === from && text.startsWith('<\\/', end))
    ? { start, end, setting: 'quoted' }
    : undefined
}

const isOpeningTag = (text: string, nameStart: number): boolean =>
  OPENING_TAG.test(text.slice(Math.max(0, nameStart - LONGEST_TAG), nameStart))

const ATTRIBUTES = /\s[^<>]{0,256}>/y

/** Returns the end of the attributes of `<password type="text">`. */
function attributesEnd(text: string, nameStart: number, nameEnd: number): number | undefined {
  ATTRIBUTES.lastIndex = nameEnd
  return isOpeningTag(text, nameStart) && ATTRIBUTES.test(text) ? ATTRIBUTES.lastIndex : undefined
}

const ENTRY_NAME = /\bname:[ \t]{1,8}[\w.-]{0,48}$/
const ENTRY_VALUE =
  /(?:\r?\n|\\{1,8}n)(?:[ \t]{0,8}\d{1,6}(?:\u2192|\t|\\{1,8}t)|[+-])?[ \t]{0,64}value:[ \t]{1,8}/y

/**
 * Finds the value of a YAML list entry as in manifests: `name: DB_PASSWORD`, and `value: …` on the next line.
 */
function entryAt(text: string, nameStart: number, nameEnd: number): Value | undefined {
  ENTRY_VALUE.lastIndex = nameEnd
  if (!ENTRY_VALUE.test(text)) return undefined
  const from = ENTRY_VALUE.lastIndex
  if (!ENTRY_NAME.test(text.slice(Math.max(0, nameStart - LONGEST_TAG), nameStart))) return undefined
  return valueAt(text, from, 'tight')
}

const SIBLING = /[\s,]{0,8}(?:\\{0,3}["'])?value(?:\\{0,3}["'])?\s{0,4}[=:]\s{0,4}(?=\\{0,3}["'])/iy

/**
 * Finds the value that belongs to a name in a sibling field: `"name": "DB_PASSWORD", "value": "…"`,
 * `key="password" value="…"`.
 */
function siblingAt(text: string, closed: number): Value | undefined {
  SIBLING.lastIndex = closed
  return SIBLING.test(text) ? valueAt(text, SIBLING.lastIndex, 'loose') : undefined
}

export const wholeEnd = (text: string, value: Value): number =>
  value.setting === 'quoted' ? value.end : bareUntil(text, value.end)

export function bareUntil(text: string, from: number, limit = text.length): number {
  const stop = Math.min(text.length, limit)
  let at = from
  while (at < stop && !has(bareEnd, text, at) && !isClosingTag(text, at)) at += 1
  return at
}

/** `<code>password: hunter2</code>` */
const isClosingTag = (text: string, at: number): boolean => text[at] === '<' && text[at + 1] === '/'

const LONGEST_FLAG = 24
const FLAG = /(?:^|[^\w-]|\\[a-z])--[\w-]*$/

const isFlag = (text: string, nameStart: number): boolean =>
  FLAG.test(text.slice(Math.max(0, nameStart - LONGEST_FLAG), nameStart))

const SET = /(?:^|[\s;&|"'`]|\\[a-z])(?:set|setx|setenv) +(?:-{1,2}[a-z]+ +)*\w*$/i

/** `set -x NAME value` in shells. */
const isSet = (text: string, nameStart: number): boolean =>
  SET.test(text.slice(Math.max(0, nameStart - 48), nameStart))

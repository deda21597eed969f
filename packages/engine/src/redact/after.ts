import { blank, digit, has, runEnd, setOf, slug } from './characters.ts'
import { afterSuffix } from './names.ts'
import { afterQuote, closedAt, isClosing, openedAt } from './quotes.ts'
import type { Setting } from './value.ts'

const MOST_BLANKS = 8
const bareEnd = setOf('"\'`\\;,&| \t\r\n')

/** Enough of a value without quotes to judge it by; what is judged a secret goes whole. */
const JUDGED = 64

/** A value after its name. */
export interface Value {
  readonly start: number
  readonly end: number
  readonly setting: Setting
  /** A number in JSON: the quotes its name has. */
  readonly around?: string
}

export const skipBlanks = (text: string, at: number): number => runEnd(blank, text, at, at + MOST_BLANKS)

/** The value of the name whose known part is at `nameStart`: `name=…`, `"name": "…"`, `--name …`. */
export function valueAfter(text: string, nameStart: number, nameEnd: number): Value | undefined {
  const name = afterSuffix(text, nameEnd)
  if (has(slug, text, name)) return undefined
  const closed = afterQuote(text, name)
  const gap = skipBlanks(text, closed)
  const separator = text[gap]
  if (separator !== '=' && separator !== ':') {
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
  const opened = openedAt(text, start)
  if (!opened) return { start, end: bareUntil(text, start, start + JUDGED), setting }
  if (isClosing(text, opened)) return undefined
  return { start: opened.start, end: closedAt(text, opened), setting: 'quoted' }
}

export const wholeEnd = (text: string, value: Value): number =>
  value.setting === 'quoted' ? value.end : bareUntil(text, value.end)

export function bareUntil(text: string, from: number, limit = text.length): number {
  const stop = Math.min(text.length, limit)
  let at = from
  while (at < stop && !has(bareEnd, text, at)) at += 1
  return at
}

const LONGEST_FLAG = 24

const isFlag = (text: string, nameStart: number): boolean => {
  let at = nameStart
  while (at > nameStart - LONGEST_FLAG && has(slug, text, at - 1)) at -= 1
  return text.startsWith('--', at)
}

const SET = /(?:^|[\s;&|"'`])(?:set|setx|setenv) +(?:-{1,2}[a-z]+ +)*\w*$/i

/** `set -x NAME value` of shells. */
const isSet = (text: string, nameStart: number): boolean =>
  SET.test(text.slice(Math.max(0, nameStart - 48), nameStart))

import { redactCounted } from '@panoptes/engine/redact'
import { isPlainObject } from '@panoptes/schema/plain-object'
import type { Fields } from '../fields.ts'
import { boundValue, shorten, withinBudget } from './shorten.ts'

const MOST_OF_STRING = 500
const MOST_OF_NAME = 120
const MOST_IN_ALL = 2_000
/** The size of the note that something was cut, with its comma and name. */
const NOTE = 48
const BRACKETS = 2

export interface CleanArguments {
  readonly arguments: Record<string, unknown>
  readonly removed: number
  readonly leftOut: number
}

const SEPARATOR = String.raw`(?:\\{1,4}|\\{0,2}/)`
const NAME = String.raw`[^\s\\/:;,*?"'\`<>|()[\]{}$=&]{1,64}`
/** Names on Windows may contain spaces if a folder follows. */
const SPACED = `${NAME}(?: ${NAME}){1,3}(?=${SEPARATOR})`
/** Shared folders next to the users' folders. */
const NOBODY = String.raw`(?!(?:Shared|Public|Default|All Users)\b)`
/**
 * A path begins here: not inside another path or a word, but after an option (`-I/home`), a scheme,
 * or an escaped line end in JSON.
 */
const BEGINS = String.raw`(?:(?<![\w.~/\\-])|(?<=\\[nrtu])|(?<=\bfile://)|(?<=(?<![\w-])-\w))`
const ENDS = String.raw`(?![\w.-])`

const OF_SOMEBODY = [
  `(?:/mnt|/cygdrive)?/[A-Za-z]/Users/${NOBODY}(?:${SPACED}|${NAME})`,
  `(?:/var|/export)?/(?:home|Users)/${NOBODY}${NAME}`,
  String.raw`\\/(?:home|Users)\\/${NOBODY}${NAME}`,
  `(?:/private)?(?:/var)?/root${ENDS}`,
]
const OF_WINDOWS = [
  `[a-z]:${SEPARATOR}(?:Users|Documents and Settings)${SEPARATOR}${NOBODY}(?:${SPACED}|${NAME})`,
]

const ANYONE = new RegExp(`${BEGINS}(?:${OF_SOMEBODY.join('|')})`, 'g')
const WINDOWS = new RegExp(`${BEGINS}(?:${OF_WINDOWS.join('|')})(${SEPARATOR})?`, 'gi')

/** Returns arguments without secrets and home folders, within a budget. */
export function cleanArguments(input: Fields, general: (text: string) => string): CleanArguments {
  const { value, removed } = redactCounted(boundValue(input))
  const fitting = new ArgumentFitter(general)
  const fitted = fitting.fields(input, value as Fields)
  return { arguments: fitted, removed, leftOut: fitting.leftOut }
}

/** Copies a value and cleans it while the budget of its JSON lasts. */
class ArgumentFitter {
  leftOut = 0
  #left = MOST_IN_ALL
  readonly #general: (text: string) => string

  constructor(general: (text: string) => string) {
    this.#general = general
  }

  fields(whole: Fields, clean: Fields): Record<string, unknown> {
    this.#left -= NOTE + BRACKETS
    const fitted = new Map<string, unknown>()
    const [wholeNames, names] = [Object.keys(whole), Object.keys(clean)]
    let at = 0
    for (; at < names.length; at++) {
      const name = shorten(this.#general(names[at] ?? ''), MOST_OF_NAME).text
      const cost = jsonSize(name) + 2
      if (this.#left < cost + NOTE) break
      this.#left -= cost
      const value = this.#value(whole[wholeNames[at] ?? ''], clean[names[at] ?? ''])
      fitted.set(findFreeName(name, fitted), value)
    }
    const rest = wholeNames.slice(at)
    for (const name of rest) this.leftOut += countCharacters(whole[name])
    if (rest.length === 0) this.#left += NOTE
    else
      fitted.set(findFreeName('…', fitted), rest.length === 1 ? '1 field cut' : `${rest.length} fields cut`)
    return Object.fromEntries(fitted)
  }

  #list(whole: readonly unknown[], clean: readonly unknown[]): unknown[] {
    this.#left -= NOTE + BRACKETS
    const fitted: unknown[] = []
    for (let at = 0; at < clean.length && this.#left >= NOTE + 1; at++) {
      this.#left -= 1
      fitted.push(this.#value(whole[at], clean[at]))
    }
    const rest = whole.slice(fitted.length)
    for (const each of rest) this.leftOut += countCharacters(each)
    if (rest.length === 0) this.#left += NOTE
    else fitted.push(rest.length === 1 ? '… 1 item cut' : `… ${rest.length} items cut`)
    return fitted
  }

  #value(whole: unknown, clean: unknown): unknown {
    if (typeof clean === 'string') return this.#string(whole, clean)
    if (Array.isArray(clean)) return this.#list(Array.isArray(whole) ? whole : [], clean)
    if (isPlainObject(clean)) return this.fields(isPlainObject(whole) ? whole : {}, clean)
    this.#left -= jsonSize(clean)
    return clean
  }

  #string(whole: unknown, clean: string): string {
    const generalized = this.#general(clean)
    const before = typeof whole === 'string' ? whole : clean
    let most = Math.min(MOST_OF_STRING, this.#left)
    let short = withinBudget(before, generalized, most)
    // A character may take up to six in JSON.
    while (jsonSize(short.text) > this.#left && most > NOTE) {
      most = Math.max(NOTE, Math.floor(most / 2))
      short = withinBudget(before, generalized, most)
    }
    this.leftOut += short.leftOut
    this.#left -= jsonSize(short.text)
    return short.text
  }
}

const jsonSize = (value: unknown): number => JSON.stringify(value)?.length ?? 0

function findFreeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let at = 2
  let wanted = name
  while (taken.has(wanted)) wanted = `${name} ${at++}`
  return wanted
}

/** Counts the characters of all texts, numbers and so on in a value, at any depth. */
function countCharacters(value: unknown): number {
  const stack: unknown[] = [value]
  let count = 0
  while (stack.length > 0) {
    const each = stack.pop()
    if (typeof each === 'string') count += each.length
    else if (typeof each !== 'object' || each === null) count += jsonSize(each)
    else for (const inner of Object.values(each)) stack.push(inner)
  }
  return count
}

/** Replaces home folders with `~`, this user's own first. Takes linear time. */
export function createHomeReplacer(home: string): (text: string) => string {
  const own = ownPattern(home)
  return (text) => {
    const general = own === undefined ? text : text.replace(own, '~')
    return general.replace(WINDOWS, (_, below) => (below ? '~/' : '~')).replace(ANYONE, '~')
  }
}

function ownPattern(home: string): RegExp | undefined {
  const parts = home.split(/[\\/]+/).filter((part) => part !== '')
  if (parts.length === 0) return undefined
  const first = /^[\\/]/.test(home) ? SEPARATOR : ''
  return new RegExp(`${BEGINS}${first}${parts.map(literal).join(SEPARATOR)}${ENDS}`, 'g')
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

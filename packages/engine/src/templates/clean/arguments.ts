import { redactCounted } from '@panoptes/engine/redact'
import { type Fields, isFields } from '../fields.ts'
import { bounded } from './bounded.ts'
import { shorten } from './shorten.ts'
import { withinBudget } from './text.ts'

const MOST_OF_STRING = 500
const MOST_OF_NAME = 120
const MOST_IN_ALL = 2_000
/** What saying that something was cut takes, with its comma and name. */
const NOTE = 48
const BRACKETS = 2

export interface CleanArguments {
  readonly arguments: Record<string, unknown>
  readonly removed: number
  readonly leftOut: number
}

/** Arguments without secrets and people's folders, within a budget. */
export function cleanArguments(input: Fields, general: (text: string) => string): CleanArguments {
  const { value, removed } = redactCounted(bounded(input))
  const fitting = new Fitting(general)
  const kept = fitting.fields(input, value as Fields)
  return { arguments: kept, removed, leftOut: fitting.leftOut }
}

/** Goes over a value and its clean copy, as long as the budget lasts: it is of the JSON that is written. */
class Fitting {
  leftOut = 0
  #left = MOST_IN_ALL
  readonly #general: (text: string) => string

  constructor(general: (text: string) => string) {
    this.#general = general
  }

  fields(whole: Fields, clean: Fields): Record<string, unknown> {
    this.#left -= NOTE + BRACKETS
    const kept = new Map<string, unknown>()
    const [wholeNames, names] = [Object.keys(whole), Object.keys(clean)]
    let at = 0
    for (; at < names.length; at++) {
      const name = shorten(this.#general(names[at] ?? ''), MOST_OF_NAME).text
      const cost = sizeOf(name) + 2
      if (this.#left < cost + NOTE) break
      this.#left -= cost
      const value = this.#value(whole[wholeNames[at] ?? ''], clean[names[at] ?? ''])
      kept.set(free(name, kept), value)
    }
    const rest = wholeNames.slice(at)
    for (const name of rest) this.leftOut += charactersIn(whole[name])
    if (rest.length === 0) this.#left += NOTE
    else kept.set(free('…', kept), rest.length === 1 ? '1 field cut' : `${rest.length} fields cut`)
    return Object.fromEntries(kept)
  }

  #list(whole: readonly unknown[], clean: readonly unknown[]): unknown[] {
    this.#left -= NOTE + BRACKETS
    const kept: unknown[] = []
    for (let at = 0; at < clean.length && this.#left >= NOTE + 1; at++) {
      this.#left -= 1
      kept.push(this.#value(whole[at], clean[at]))
    }
    const rest = whole.slice(kept.length)
    for (const each of rest) this.leftOut += charactersIn(each)
    if (rest.length === 0) this.#left += NOTE
    else kept.push(rest.length === 1 ? '… 1 item cut' : `… ${rest.length} items cut`)
    return kept
  }

  #value(whole: unknown, clean: unknown): unknown {
    if (typeof clean === 'string') return this.#string(whole, clean)
    if (Array.isArray(clean)) return this.#list(Array.isArray(whole) ? whole : [], clean)
    if (isFields(clean)) return this.fields(isFields(whole) ? whole : {}, clean)
    this.#left -= sizeOf(clean)
    return clean
  }

  #string(whole: unknown, clean: string): string {
    const told = this.#general(clean)
    const before = typeof whole === 'string' ? whole : clean
    let most = Math.min(MOST_OF_STRING, this.#left)
    let short = withinBudget(before, told, most)
    // Written as JSON, a letter may take six.
    while (sizeOf(short.text) > this.#left && most > NOTE) {
      most = Math.max(NOTE, Math.floor(most / 2))
      short = withinBudget(before, told, most)
    }
    this.leftOut += short.leftOut
    this.#left -= sizeOf(short.text)
    return short.text
  }
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

function free(name: string, taken: ReadonlyMap<string, unknown>): string {
  let at = 2
  let wanted = name
  while (taken.has(wanted)) wanted = `${name} ${at++}`
  return wanted
}

/** Of all texts, numbers and the like in a value, however deep. */
function charactersIn(value: unknown): number {
  const stack: unknown[] = [value]
  let count = 0
  while (stack.length > 0) {
    const each = stack.pop()
    if (typeof each === 'string') count += each.length
    else if (typeof each !== 'object' || each === null) count += sizeOf(each)
    else for (const inner of Object.values(each)) stack.push(inner)
  }
  return count
}

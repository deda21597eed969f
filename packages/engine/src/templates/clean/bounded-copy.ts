import { LOOKED_AT } from './text.ts'

const MOST_DEPTH = 12
const MOST_VALUES = 1_000
/** The limit for all texts together. */
const MOST_CHARACTERS = 4 * LOOKED_AT

/** Copies what may be kept at all, because the input may be nested or repeated endlessly. */
export function bounded(value: unknown): unknown {
  const left = { values: MOST_VALUES, characters: MOST_CHARACTERS }
  const copy = (each: unknown, depth: number): unknown => {
    left.values -= 1
    if (typeof each === 'string') {
      const text = each.slice(0, LOOKED_AT).toWellFormed()
      left.characters -= text.length
      // A text cut in the middle could end in half a secret.
      return left.characters < 0 ? '… cut' : text
    }
    if (typeof each !== 'object' || each === null) return each
    if (depth === MOST_DEPTH) return '… nested deeper, cut'
    if (Array.isArray(each)) {
      const list: unknown[] = []
      for (const item of each) if (left.values > 0) list.push(copy(item, depth + 1))
      return list
    }
    const fields: [string, unknown][] = []
    for (const name of Object.keys(each)) {
      if (left.values <= 0) break
      fields.push([name.slice(0, LOOKED_AT), copy((each as Record<string, unknown>)[name], depth + 1)])
    }
    return Object.fromEntries(fields)
  }
  return copy(value, 0)
}

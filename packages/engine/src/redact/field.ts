import { type SecretField, secretField } from './secret-names.ts'
import { redactText } from './text.ts'

type Fields = Readonly<Record<string, unknown>>

interface Field {
  /** The name without secrets. */
  readonly name: string
  /** The number of secrets in the name. */
  readonly removed: number
  /** Tells what the name says about the value. */
  readonly secret: SecretField | undefined
}

const MOST_FIELDS = 1_000
const MAX_CACHED_LENGTH = 128
const fields = new Map<string, Field>()

/** Analyses a field name. The result is cached, because the same few names recur. */
export function analyzeField(name: string): Field {
  const cached = fields.get(name)
  if (cached) return cached
  const { text, removed } = redactText(name)
  const field = { name: text, removed, secret: secretField(name) }
  if (name.length > MAX_CACHED_LENGTH) return field
  if (fields.size >= MOST_FIELDS) fields.clear()
  fields.set(name, field)
  return field
}

/** Returns the fields under names without secrets and numbers names that collide. */
export function cleanNames(original: Fields, leave?: ReadonlySet<string>): Fields {
  const clean = Object.keys(original).map((name) => (leave?.has(name) ? name : analyzeField(name).name))
  const taken = new Set(Object.keys(original))
  const counts = new Map<string, number>()
  const nameFor = (name: string, wanted: string): string => {
    if (name === wanted) return name
    let number = counts.get(wanted) ?? 1
    let free = number === 1 ? wanted : `${wanted} ${number}`
    while (taken.has(free)) {
      number += 1
      free = `${wanted} ${number}`
    }
    counts.set(wanted, number)
    taken.add(free)
    return free
  }
  return Object.fromEntries(
    Object.keys(original).map((name, index) => [nameFor(name, clean[index] ?? name), original[name]]),
  )
}

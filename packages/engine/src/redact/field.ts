import { type SecretField, secretField } from './names.ts'
import { redactText } from './text.ts'

type Fields = Readonly<Record<string, unknown>>

interface Field {
  /** Its name without secrets. */
  readonly name: string
  /** How many secrets its name had. */
  readonly removed: number
  /** What the name says of the value. */
  readonly secret: SecretField | undefined
}

const MOST_FIELDS = 1_000
const LONGEST_KNOWN = 128
const fields = new Map<string, Field>()

/** What a name of a field is and says. The same few names come again and again. */
export function fieldCalled(name: string): Field {
  const known = fields.get(name)
  if (known) return known
  const { text, removed } = redactText(name)
  const field = { name: text, removed, secret: secretField(name) }
  if (name.length > LONGEST_KNOWN) return field
  if (fields.size >= MOST_FIELDS) fields.clear()
  fields.set(name, field)
  return field
}

/** The same fields under names without secrets; of names that become the same, the later ones are numbered. */
export function withCleanNames(given: Fields, leave?: ReadonlySet<string>): Fields {
  const clean = Object.keys(given).map((name) => (leave?.has(name) ? name : fieldCalled(name).name))
  const taken = new Set(Object.keys(given))
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
    Object.keys(given).map((name, index) => [nameFor(name, clean[index] ?? name), given[name]]),
  )
}

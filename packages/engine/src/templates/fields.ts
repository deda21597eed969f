import { type Fields, isPlainObject } from '@panoptes/schema/plain-object'

export type { Fields }

/**
 * Returns the arguments of a call by name: plain text as `input`, a list as its items. Undefined if
 * there is nothing to show.
 */
export function toNamedArguments(input: unknown): Fields | undefined {
  if (isPlainObject(input)) return input
  if (typeof input === 'string') return input === '' ? {} : { input }
  return Array.isArray(input) ? { items: input } : undefined
}

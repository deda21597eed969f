/** An object from outside whose fields have not been checked: each may be missing or of any kind. */
export type Fields = Readonly<Record<string, unknown>>

/** Tells an object with named fields from a list, from `null` and from anything that is no object. */
export const isPlainObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value if it is an object and an empty object otherwise, so that a reader can ask for fields unchecked. */
export const toFields = (value: unknown): Fields => (isPlainObject(value) ? value : {})

/** Returns a non-empty string, and null for anything else. */
export const nonEmptyText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

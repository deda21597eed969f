/** How to read what another program wrote: every field may be missing or of another kind. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A count that is a whole number; anything else is absent, not zero. */
export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

const FIRST_MS = Date.UTC(2000, 0)
const LAST_MS = Date.UTC(2200, 0)

/** Milliseconds of a time as ISO text or a number of milliseconds; absurd ones are absent. */
export function timeOf(value: unknown): number | null {
  const ms = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN
  return ms >= FIRST_MS && ms < LAST_MS ? Math.round(ms) : null
}

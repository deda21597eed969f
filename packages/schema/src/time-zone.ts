import { z } from 'zod'

/** A time zone by name, such as `Europe/Berlin`. */
export const timeZone = z
  .string('must be a time zone')
  .refine(isZone, 'must be a time zone like Europe/Berlin or UTC')

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

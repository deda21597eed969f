import { z } from 'zod'

/** The last moment a JavaScript date can name, in milliseconds. */
const LAST_MOMENT = 8_640_000_000_000_000

export const timestamp = z
  .int('must be whole milliseconds since 1970')
  .min(0, 'must not be before 1970')
  .max(LAST_MOMENT, 'is later than any date')

const isoTimestamp = z.iso
  .datetime({ offset: true, local: true, error: 'must be milliseconds since 1970 or an ISO 8601 time' })
  .transform((text) => Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`))
  .pipe(timestamp)

/** Milliseconds, or ISO 8601 on input; a time without a zone is UTC. */
export const timestampInput = z.union([timestamp, isoTimestamp], {
  error: 'must be milliseconds since 1970 or an ISO 8601 time',
})

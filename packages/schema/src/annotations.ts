import { z } from 'zod'
import { sourceName } from './event.ts'
import { timestampInput } from './time.ts'

const MOST_TAGS = 50
const NOT_EMPTY = 'must not be empty'
/** A single line without control characters or characters that change the text direction. */
const PLAIN = /^[^\p{Cc}\p{Cf}]*$/u

const shortText = (most: number) =>
  z
    .string()
    .trim()
    .min(1, NOT_EMPTY)
    .max(most, `must not be longer than ${most} characters`)
    .regex(PLAIN, 'must be one line of plain text')

export const tag = shortText(64)
export const note = z.string().max(20_000, 'must not be longer than 20,000 characters')

/** Identifies a session. */
export const sessionRef = z.object({ source: sourceName, id: z.string() })
export type SessionRef = z.infer<typeof sessionRef>

/** The tags and the note a person gave a session. */
export const sessionMarks = z.object({ ...sessionRef.shape, tags: z.array(tag), note: note.nullable() })
export type SessionMarks = z.infer<typeof sessionMarks>

/**
 * Missing fields stay unchanged; an empty list of tags, or a note that is null or empty, removes
 * the previous value.
 */
export const marksInput = z.strictObject({
  tags: z
    .array(tag)
    .max(MOST_TAGS, `must not be more than ${MOST_TAGS}`)
    .transform((tags) => [...new Set(tags)])
    .optional(),
  note: note
    .nullable()
    .transform((text) => (text === null || text.trim() === '' ? null : text))
    .optional(),
})
export type MarksInput = z.infer<typeof marksInput>

/** A tag and the number of sessions that have it. */
export const tagCount = z.object({ tag, sessions: z.int() })
export type TagCount = z.infer<typeof tagCount>
export const tagsReply = z.array(tagCount)

const daysBack = z.string().regex(/^[1-9]\d{0,3}d$/, 'must be a time, or days back such as 7d')

/**
 * The query of a saved filter. `since` may be a number of days back, counted when the filter is
 * used.
 */
export const savedQuery = z.strictObject({
  source: z.string().optional(),
  project: z.string().optional(),
  host: z.string().optional(),
  model: z.string().optional(),
  tool: z.string().optional(),
  tag: z.string().optional(),
  since: z.union([daysBack, timestampInput]).optional(),
  until: timestampInput.optional(),
  errors: z.boolean().optional(),
  min_cost_micro_usd: z.int().min(0).optional(),
  q: z.string().max(1_000).optional(),
})
export type SavedQuery = z.infer<typeof savedQuery>

export const filterName = shortText(80)
export const savedFilter = z.object({ name: filterName, query: savedQuery })
export type SavedFilter = z.infer<typeof savedFilter>
export const filterInput = z.strictObject({ query: savedQuery })
/** All saved filters, by name. */
export const filtersReply = z.array(savedFilter)

const pattern = z.string().min(1, NOT_EMPTY).max(1_000)

/**
 * Matches sessions by a prefix of their id, or by title or project: `*` stands for anything, and
 * case is ignored.
 */
export const forgettableQuery = z.strictObject({ pattern })
export const forgettable = z.object({
  ...sessionRef.shape,
  title: z.string().nullable(),
  project: z.string().nullable(),
  /** Sessions of the same source that begin with a copy of it but do not match themselves. */
  branches: z.array(z.string()),
})
export type Forgettable = z.infer<typeof forgettable>
export const forgettableReply = z.array(forgettable)

const MOST_FORGOTTEN = 10_000
export const forgetInput = z.strictObject({ sessions: z.array(sessionRef).min(1).max(MOST_FORGOTTEN) })

/** What was removed: where, and how much. */
export const removedCount = z.object({ from: z.string(), what: z.string(), count: z.int() })
export type RemovedCount = z.infer<typeof removedCount>

/** What was removed for good. The agents' own files are not touched. */
export const forgotReply = z.object({ sessions: z.int(), removed: z.array(removedCount) })
export type ForgotReply = z.infer<typeof forgotReply>

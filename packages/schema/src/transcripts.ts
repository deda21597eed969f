import { z } from 'zod'
import { sourceName } from './event.ts'
import { message, session, sessionAgent } from './session.ts'

const which = { source: sourceName, id: z.string().min(1).max(1_000) }
/** One upload of a session, with a unique name. */
const telling = z.string().min(1).max(100)
const tellingFields = { ...which, telling }
/**
 * How many records of the upload came before, so that duplicates are ignored and gaps are noticed.
 */
const at = z.int().nonnegative()

/**
 * How a session of another computer is sent to a hub, as lines in order. An upload begins, sends
 * parts and ends; then it replaces what was known of the session. A second begin restarts the
 * upload, and an upload that never ends is never shown.
 */
export const transcriptChange = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('begin'),
    ...tellingFields,
    fingerprint: z.string().max(1_000),
    /** Its fingerprint without the parts that depend on other sessions, if there are any. */
    own: z.string().max(1_000).optional(),
  }),
  z.object({ type: z.literal('agent'), ...tellingFields, at, agent: sessionAgent }),
  z.object({
    type: z.literal('messages'),
    ...tellingFields,
    at,
    messages: z.array(message).min(1).max(1_000),
  }),
  /** Parts of it that could not be read. */
  z.object({
    type: z.literal('skipped'),
    ...tellingFields,
    at,
    place: z.string().max(4_096),
    reason: z.string().max(4_096),
  }),
  /**
   * Records that the same computer sent in an earlier, complete upload: this many, starting at its
   * record `from`.
   */
  z.object({
    type: z.literal('same'),
    ...tellingFields,
    at,
    of: telling,
    from: at,
    count: z.int().positive(),
  }),
  z.object({ type: z.literal('end'), ...tellingFields, at, session }),
  /** The computer no longer has the session. */
  z.object({ type: z.literal('drop'), ...which }),
])
export type TranscriptChange = z.infer<typeof transcriptChange>

/**
 * `GET /api/transcripts/known`: the fingerprints of one host's sessions that a hub has completely.
 */
export const transcriptIndex = z.object({ known: z.record(z.string(), z.string()) })

/** The reply to `POST /api/transcripts`. */
export const transcriptsReply = z.object({
  ended: z.int(),
  dropped: z.int(),
  /** Sessions with missing lines here, whose upload has to restart. */
  missed: z.array(z.object(which)),
  /** Sessions that were forgotten here, so nothing of them is stored. */
  forgotten: z.array(z.object(which)),
  /** Sessions that another computer has too, with the ids of their copies here. */
  copies: z.array(z.object({ ...which, id: z.string() })).optional(),
})
export type TranscriptsReply = z.infer<typeof transcriptsReply>

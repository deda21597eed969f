import { z } from 'zod'
import { sourceName } from './event.ts'
import { message, session, sessionAgent } from './session.ts'

const which = { source: sourceName, id: z.string().min(1).max(1_000) }
/** One telling of a session, by a name that no other telling has. */
const telling = z.string().min(1).max(100)
const told = { ...which, telling }
/** How many records of the telling came before: what is told twice counts once, and what is missing is seen. */
const at = z.int().nonnegative()

/**
 * How a session of another computer is told to a hub, as lines in order. It is begun, told in parts and ended: then it takes the place of
 * what was known of it. What was begun twice counts from the last beginning on; what was never ended is never shown.
 */
export const transcriptChange = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('begin'),
    ...told,
    fingerprint: z.string().max(1_000),
    /** Its fingerprint without what hangs on other sessions, where something does. */
    own: z.string().max(1_000).optional(),
  }),
  z.object({ type: z.literal('agent'), ...told, at, agent: sessionAgent }),
  z.object({ type: z.literal('messages'), ...told, at, messages: z.array(message).min(1).max(1_000) }),
  /** What could not be read of it. */
  z.object({
    type: z.literal('skipped'),
    ...told,
    at,
    place: z.string().max(4_096),
    reason: z.string().max(4_096),
  }),
  /** Records that the same computer told before, in a telling that came to its end: so many, from its record `from` on. */
  z.object({ type: z.literal('same'), ...told, at, of: telling, from: at, count: z.int().positive() }),
  z.object({ type: z.literal('end'), ...told, at, session }),
  /** Its computer has it no more. */
  z.object({ type: z.literal('drop'), ...which }),
])
export type TranscriptChange = z.infer<typeof transcriptChange>

/** `GET /api/transcripts/known`: the fingerprints of what a hub has whole of one host's sessions. */
export const knownTranscripts = z.object({ known: z.record(z.string(), z.string()) })

/** The answer to `POST /api/transcripts`. */
export const transcriptsReply = z.object({
  ended: z.int(),
  dropped: z.int(),
  /** Sessions of which lines are missing here: they have to be begun again. */
  missed: z.array(z.object(which)),
  /** Sessions that were forgotten here: nothing of them is kept. */
  forgotten: z.array(z.object(which)),
})
export type TranscriptsReply = z.infer<typeof transcriptsReply>

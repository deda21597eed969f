import { z } from 'zod'
import { sourceName } from './event.ts'
import { message, session, sessionAgent } from './session.ts'

const which = { source: sourceName, id: z.string().min(1).max(1_000) }

/**
 * How a session of another computer is told to a hub, as lines in order. It is begun, told in parts and ended: then it takes the place of
 * what was known of it. What was begun twice counts from the last beginning on; what was never ended is never shown.
 */
export const transcriptChange = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begin'), ...which, fingerprint: z.string().max(1_000) }),
  z.object({ type: z.literal('agent'), ...which, agent: sessionAgent }),
  z.object({ type: z.literal('messages'), ...which, messages: z.array(message).max(1_000) }),
  z.object({ type: z.literal('end'), ...which, session }),
  /** Its computer has it no more. */
  z.object({ type: z.literal('drop'), ...which }),
])
export type TranscriptChange = z.infer<typeof transcriptChange>

/** `GET /api/transcripts/known`: the fingerprints of what a hub has whole of one host's sessions. */
export const knownTranscripts = z.object({ known: z.record(z.string(), z.string()) })

/** The answer to `POST /api/transcripts`. */
export const transcriptsReply = z.object({ ended: z.int(), dropped: z.int() })

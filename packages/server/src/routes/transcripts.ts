import {
  check,
  knownTranscripts,
  type Problem,
  sourceName,
  type TranscriptChange,
  tellerOf,
  transcriptChange,
  transcriptsReply,
} from '@panoptes/schema'
import { z } from 'zod'
import { othersFirst, withBody } from '../body.ts'
import type { Kit } from '../kit.ts'
import { badInput, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, NDJSON_TYPE, type Reply, type Route, route } from '../route.ts'

const BODY_LIMIT = 16_777_216
/** Conversations are somebody's own: no computer tells of those that were held with it. */
const CONVERSATIONS = 'panoptes'

const host = z.string('is missing: name the computer').min(1).max(256)
/** Which home of Panoptes on that computer it is; what one told is never another's. */
const home = z
  .string()
  .regex(/^[0-9a-z]{1,64}$/, 'must be letters and digits')
  .optional()

/** Sessions of other computers. Only a hub takes them. */
export function transcriptRoutes({ people, options: { transcripts } }: Kit): readonly Route[] {
  if (!transcripts) return []
  return [
    route({
      method: 'GET',
      path: '/api/transcripts/known',
      scope: 'ingest',
      summary: 'What a computer has told of its sessions of one source to their end: their fingerprints.',
      query: z.object({ source: sourceName, host, home }),
      reply: { type: JSON_TYPE, schema: knownTranscripts },
      answer: async ({ query }) => {
        const known = await transcripts.known(query.source, tellerOf(query.host, query.home))
        return known.ok ? json({ known: Object.fromEntries(known.value) }) : refusalOf(known)
      },
    }),
    {
      ...route({
        method: 'POST',
        path: '/api/transcripts',
        scope: 'ingest',
        action: null,
        summary:
          'Tells of sessions of a computer, as lines of NDJSON, plain or gzip: begun, told in parts and ended. All lines are stored, or none.',
        query: z.object({ host, home }),
        reply: { type: JSON_TYPE, schema: transcriptsReply },
        answer: ({ query, incoming, caller }) =>
          withBody(incoming, BODY_LIMIT, async (text): Promise<Reply> => {
            const read = await changesIn(text)
            if ('problems' in read) return badInput('body', read.problems)
            const written = await transcripts.write(tellerOf(query.host, query.home), read.changes)
            if (written.ok) people?.senders.saw(caller, query.host)
            return written.ok ? json(written.value) : refusalOf(written)
          }),
      }),
      body: { type: NDJSON_TYPE, schema: transcriptChange },
    },
  ]
}

/** So many characters are checked before others have their turn. */
const TURN = 1_048_576

async function changesIn(
  text: string,
): Promise<{ readonly changes: readonly TranscriptChange[] } | { readonly problems: readonly Problem[] }> {
  const changes: TranscriptChange[] = []
  let number = 0
  let since = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? text.length : end)
    at = end < 0 ? text.length : end + 1
    number += 1
    if (line.trim() === '') continue
    const change = changeIn(line)
    if (!change.ok)
      return {
        problems: change.problems.map(({ path, reason }) => ({
          path: `line ${number}${path === '' ? '' : ` ${path}`}`,
          reason,
        })),
      }
    changes.push(change.value)
    since += line.length
    if (since < TURN) continue
    since = 0
    await othersFirst(Number.POSITIVE_INFINITY)
  }
  return { changes }
}

function changeIn(line: string) {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return { ok: false as const, problems: [{ path: '', reason: 'is not JSON' }] }
  }
  const checked = check(transcriptChange, parsed)
  return checked.ok && checked.value.source === CONVERSATIONS
    ? {
        ok: false as const,
        problems: [{ path: 'source', reason: 'cannot be panoptes: conversations stay where they were held' }],
      }
    : checked
}

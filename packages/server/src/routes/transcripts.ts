import {
  check,
  hostOfTeller,
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
import type { Caller } from '../callers.ts'
import type { Kit } from '../kit.ts'
import { badInput, type Refusal, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, NDJSON_TYPE, type Reply, type Route, route } from '../route.ts'

const BODY_LIMIT = 16_777_216
/** Conversations are somebody's own: no computer tells of those that were held with it. */
const CONVERSATIONS = 'panoptes'

const host = z
  .string('is missing: name the computer')
  .max(256)
  .regex(/^\P{Cc}+$/u, 'must be the name of a computer')
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
      answer: async ({ query, caller }) => {
        const teller = tellerOf(query.host, query.home)
        const refused = await refusalOfTeller(people, caller, teller, false)
        if (refused) return refused
        const known = await transcripts.known(query.source, teller)
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
            const teller = tellerOf(query.host, query.home)
            const refused = await refusalOfTeller(people, caller, teller, true)
            if (refused) return refused
            const written = await transcripts.write(teller, read.changes)
            if (written.ok) people?.senders.saw(caller, query.host)
            return written.ok ? json(written.value) : refusalOf(written)
          }),
      }),
      body: { type: NDJSON_TYPE, schema: transcriptChange },
    },
  ]
}

/** Nobody tells of another's computer: what it told would be replaced. Whoever has the hub's own home has the database. */
async function refusalOfTeller(
  people: Kit['people'],
  caller: Caller | undefined,
  teller: string,
  take: boolean,
): Promise<Refusal | undefined> {
  if (people === undefined || caller === undefined || caller.home) return undefined
  const { space, identity } = caller
  if (identity?.token_id == null) return onlyTokens
  const other = await people.team.holdTeller({ space, teller, tokenId: identity.token_id, take })
  if (!other.ok) return refusalOf(other)
  return other.value === null ? undefined : otherToken(hostOfTeller(teller), other.value)
}

const onlyTokens: Refusal = {
  status: 403,
  code: 'other_token',
  title: 'Not without a token',
  detail: 'Sessions of a computer are sent with a token.',
  next: 'Make one with: panoptes team tokens create --label NAME --scope ingest',
}

const otherToken = (host: string, label: string): Refusal => ({
  status: 403,
  code: 'other_token',
  title: 'Not with this token',
  detail: `The sessions of the computer ${host} come with another token, "${label}", which is still good.`,
  next: 'Send them with that token. Or, where the database is, free the computer with: panoptes team tokens free HOST (or revoke that token). Another computer of this name needs another name, or a home in another folder.',
})

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

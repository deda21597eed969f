import { redactedChange } from '@panoptes/engine/sources'
import {
  check,
  formatUploaderId,
  type Problem,
  readUploaderHost,
  sourceName,
  type TranscriptChange,
  type TranscriptsReply,
  transcriptChange,
  transcriptIndex,
  transcriptsReply,
} from '@panoptes/schema'
import { JSON_LEVELS } from '@panoptes/schema/json'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { auditActor } from '../auth/audit.ts'
import type { Caller, RequestHead } from '../authenticate.ts'
import { badInput, type Refusal, toRefusal } from '../problem.ts'
import { withBody, yieldToOthers } from '../request-body.ts'
import { JSON_TYPE, json, NDJSON_TYPE, type Reply, type Route, route } from '../route.ts'

const BODY_LIMIT = 16_777_216
/** Conversations belong to their owner, so no computer may send any under this source. */
const CONVERSATIONS = 'panoptes'

const host = z
  .string('is missing: name the computer')
  .max(256)
  .regex(/^\P{Cc}+$/u, 'must be the name of a computer')
/** The Panoptes home on that computer. Each home sends and replaces only its own sessions. */
const home = z
  .string()
  .regex(/^[0-9a-z]{1,64}$/, 'must be letters and digits')
  .optional()

/** Sessions of other computers. Only a hub accepts them. */
export function transcriptRoutes({ people, options: { transcripts } }: AppContext): readonly Route[] {
  if (!transcripts) return []
  return [
    route({
      method: 'GET',
      path: '/api/transcripts/known',
      scope: 'ingest',
      summary: 'Fingerprints of the sessions of one source that a computer has sent completely.',
      query: z.object({ source: sourceName, host, home }),
      reply: { type: JSON_TYPE, schema: transcriptIndex },
      answer: async ({ query, caller, requestHead }) => {
        const uploader = formatUploaderId(query.host, query.home)
        const refused = await findRefusal(people, caller, { requestHead, uploader, take: false })
        if (refused) return refused
        const fingerprints = await transcripts.known(query.source, uploader)
        return fingerprints.ok
          ? json({ known: Object.fromEntries(fingerprints.value) })
          : toRefusal(fingerprints)
      },
    }),
    {
      ...route({
        method: 'POST',
        path: '/api/transcripts',
        scope: 'ingest',
        action: null,
        summary:
          'Send the sessions of a computer as NDJSON, plain or gzip: the start, the parts and the end of each. Panoptes stores all lines or none.',
        query: z.object({ host, home }),
        reply: { type: JSON_TYPE, schema: transcriptsReply },
        answer: ({ query, incoming, caller, requestHead: asked }) =>
          withBody(
            incoming,
            BODY_LIMIT,
            async (text): Promise<Reply> => {
              const read = await parseChanges(text)
              if ('problems' in read) return badInput('body', read.problems)
              const uploader = formatUploaderId(query.host, query.home)
              const refused = await findRefusal(people, caller, {
                requestHead: asked,
                uploader,
                take: true,
              })
              if (refused) return refused
              const written = await transcripts.write(uploader, read.changes)
              if (!written.ok) return toRefusal(written)
              people?.senders.record(caller, query.host)
              auditTranscripts(people, caller, asked, query.host, written.value)
              return json(written.value)
            },
            LEVELS,
          ),
      }),
      body: { type: NDJSON_TYPE, schema: transcriptChange },
    },
  ]
}

/**
 * Only the token that first sent a computer's sessions may send more, since they replace the stored ones. A token
 * file of the hub's home may do so too: its holder has the database anyway.
 */
async function findRefusal(
  people: AppContext['people'],
  caller: Caller | undefined,
  {
    requestHead: asked,
    uploader,
    take,
  }: { readonly requestHead: RequestHead; readonly uploader: string; readonly take: boolean },
): Promise<Refusal | undefined> {
  if (people === undefined || caller === undefined || caller.home) return undefined
  const { space, identity } = caller
  if (identity?.token_id == null) return onlyTokens
  const other = await people.team.claimUploader({ space, uploader, tokenId: identity.token_id, take })
  if (!other.ok) return toRefusal(other)
  if (other.value === null) return undefined
  const computer = readUploaderHost(uploader)
  people.audit.noteOnce({
    ...auditActor(caller, asked),
    action: 'transcripts.tell',
    target: computer,
    outcome: 'refused',
  })
  return otherToken(computer, other.value)
}

/**
 * Records how many sessions a computer withdrew and how many copies of another's it has. It records no names, since
 * the sessions may be forgotten later.
 */
function auditTranscripts(
  people: AppContext['people'],
  caller: Caller | undefined,
  asked: RequestHead,
  computer: string,
  { dropped, copies = [] }: TranscriptsReply,
): void {
  if (people === undefined || caller === undefined) return
  const note = (action: string, target: string) =>
    people.audit.note({ ...auditActor(caller, asked), action, target, outcome: 'done' })
  if (copies.length > 0) note('transcripts.copy', `${computer}: ${copies.length}`)
  if (dropped > 0) note('transcripts.drop', `${computer}: ${dropped}`)
}

const onlyTokens: Refusal = {
  status: 403,
  code: 'other_token',
  title: 'Token required',
  detail: 'A computer needs a token to send its sessions.',
  next: 'Create one with: panoptes team tokens create --label NAME --scope ingest',
}

const otherToken = (host: string, label: string): Refusal => ({
  status: 403,
  code: 'other_token',
  title: 'Token not allowed',
  detail: `The computer ${host} sends its sessions with another token, "${label}", which is still valid.`,
  next: 'Use that token. Or let another token take over, on the hub: panoptes team tokens free HOST (or revoke that token). If this is a different computer with the same name, rename it or use a home in another folder.',
})

/** A line nests the JSON of a source a few levels deep, and that JSON may have as many levels as any other. */
const LEVELS = JSON_LEVELS * 2

/** After this many characters other requests get a turn. */
const TURN = 1_048_576

async function parseChanges(
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
    const change = parseChange(line)
    if (!change.ok)
      return {
        problems: change.problems.map(({ path, reason }) => ({
          path: `line ${number}${path === '' ? '' : ` ${path}`}`,
          reason,
        })),
      }
    // The sender may be an old version or another program, so secrets are removed here before anything is
    // stored.
    changes.push(redactedChange(change.value))
    since += line.length
    if (since < TURN) continue
    since = 0
    await yieldToOthers(Number.POSITIVE_INFINITY)
  }
  return { changes }
}

function parseChange(line: string) {
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
        problems: [{ path: 'source', reason: 'cannot be panoptes: computers cannot send conversations' }],
      }
    : checked
}

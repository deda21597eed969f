import { Refused } from '@panoptes/engine/threads'
import type { Message, Session } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Database } from '../postgres/database.ts'
import type { StoredTranscript, TranscriptPage, TranscriptRecord } from './port.ts'
import { storedName } from './tables.ts'

/** What is held at a time, in rows and in bytes; a single record may be larger. */
const MOST_ROWS = 1_000
const MOST_HELD = 4_194_304
const MOST_LISTED = 2_000

interface Head extends StoredTranscript {}

/** What a host has told to its end. */
export async function knownOf(
  { rows }: Database,
  source: string,
  host: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await rows('SELECT head FROM transcripts_told WHERE source = $1 AND host = $2', [
    source,
    storedName(host),
  ])
  return new Map(
    found.map(({ head }) => {
      const { id, fingerprint } = JSON.parse(String(head)) as Head
      return [id, fingerprint]
    }),
  )
}

export async function* listOf(
  { rows }: Database,
  source: string,
): AsyncGenerator<readonly StoredTranscript[]> {
  for (let after: readonly [at: number, id: string] | undefined; ; ) {
    const found = await rows(
      `SELECT id, last_at, head FROM transcripts WHERE source = $1
         AND ($2::bigint IS NULL OR last_at < $2 OR last_at = $2 AND id > $3)
       ORDER BY last_at DESC, id LIMIT ${MOST_LISTED}`,
      [source, after?.[0] ?? null, after?.[1] ?? ''],
    )
    yield found.map(({ head }) => JSON.parse(String(head)) as Head)
    const last = found.at(-1)
    if (last === undefined || found.length < MOST_LISTED) return
    after = [Number(last.last_at), String(last.id)]
  }
}

export async function* readOf(
  { row, rows }: Database,
  source: string,
  id: string,
): AsyncGenerator<TranscriptPage> {
  const found = await row(
    `SELECT telling, session, records, cuts FROM transcripts JOIN transcript_tellings ON number = telling
     WHERE transcripts.source = $1 AND transcripts.id = $2`,
    [source, storedName(id)],
  )
  if (found === undefined) throw gone(source, id)
  const records = Number(found.records)
  for (let at = 0; at < records; ) {
    const page = await rows(
      `SELECT doc FROM (
         SELECT number, doc, sum(size) OVER (ORDER BY number) - size AS held
         FROM transcript_records WHERE telling = $1 AND number >= $2 AND number < $3
       ) AS next WHERE held < ${MOST_HELD}
         AND (SELECT cuts FROM transcript_tellings WHERE number = $1) = $4 ORDER BY number`,
      [Number(found.telling), at, Math.min(at + MOST_ROWS, records), Number(found.cuts)],
    )
    if (page.length === 0) throw replaced(source, id)
    at += page.length
    yield { records: page.map(({ doc }) => JSON.parse(String(doc)) as TranscriptRecord) }
  }
  yield { records: [], session: JSON.parse(String(found.session)) as Session }
}

export async function findIn(
  { rows }: Database,
  source: string,
  id: string,
  ids: readonly string[],
): Promise<readonly Message[]> {
  const found = await rows(
    `SELECT doc FROM transcript_records WHERE message = ANY($3)
       AND telling = (SELECT telling FROM transcripts WHERE source = $1 AND id = $2) ORDER BY number DESC`,
    [source, storedName(id), ids.map(storedName)],
  )
  const messages = new Map<string, Message>()
  for (const { doc } of found) {
    const record = JSON.parse(String(doc)) as TranscriptRecord
    if (record.kind === 'message') messages.set(record.message.id, record.message)
  }
  return ids.flatMap((each) => messages.get(each) ?? [])
}

const gone = (source: string, id: string): Refused =>
  new Refused(failure('not_found', `The session ${id} of ${source} is no longer there.`))

const replaced = (source: string, id: string): Refused =>
  new Refused(
    failure('busy', `The session ${id} of ${source} was told anew while it was read. Try again in a moment.`),
  )

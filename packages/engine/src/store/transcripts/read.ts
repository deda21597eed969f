import { Refused } from '@panoptes/engine/worker-rpc'
import type { Message, Session, SessionAgent } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Database } from '../postgres/database.ts'
import type { StoredTranscript, TranscriptPage, TranscriptRecord } from './port.ts'
import { firstTelling, toStoredName } from './tables.ts'

/** How much is held at a time, in rows and in bytes. A single record may be larger. */
const MOST_ROWS = 1_000
const MOST_HELD = 4_194_304
const MOST_LISTED = 2_000

interface Head extends StoredTranscript {
  /** The name is set for a copy of another computer's session. */
  readonly name?: string
}

/** Returns the fingerprints of sessions that a host uploaded completely. */
export async function readFingerprints(
  { rows }: Database,
  source: string,
  host: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await rows(
    `SELECT head FROM transcripts_told AS told WHERE source = $1 AND host = $2 AND EXISTS (
       SELECT FROM transcript_tellings AS k
       WHERE k.source = told.source AND k.id = told.id AND k.host = told.host AND k.state = 'stands')`,
    [source, toStoredName(host)],
  )
  return new Map(
    found.map(({ head }) => {
      const { id, fingerprint } = JSON.parse(String(head)) as Head
      return [id, fingerprint]
    }),
  )
}

export async function* listTranscripts(
  { rows }: Database,
  source: string,
): AsyncGenerator<readonly StoredTranscript[]> {
  for (let after: readonly [at: number, id: string] | undefined; ; ) {
    const found = await rows(
      `SELECT t.id, t.last_at, t.head, first.head AS first
       FROM transcripts AS t JOIN transcript_tellings AS k ON k.number = t.telling
         LEFT JOIN LATERAL (${firstTelling}) AS first ON t.id <> k.id
       WHERE t.source = $1 AND k.state = 'stands' AND (t.differs OR first.telling IS NULL)
         AND ($2::bigint IS NULL OR t.last_at < $2 OR t.last_at = $2 AND t.id > $3)
       ORDER BY t.last_at DESC, t.id LIMIT ${MOST_LISTED}`,
      [source, after?.[0] ?? null, after?.[1] ?? ''],
    )
    yield found.map(({ head, first }) => toListed(JSON.parse(String(head)), first))
    const last = found.at(-1)
    if (last === undefined || found.length < MOST_LISTED) return
    after = [Number(last.last_at), String(last.id)]
  }
}

export async function* readTranscript(
  { row, rows }: Database,
  source: string,
  id: string,
): AsyncGenerator<TranscriptPage> {
  const found = await row(
    `SELECT t.telling, t.session, t.id <> k.id AS copy, k.records, k.cuts,
       first.telling AS first, first.head AS "firstHead"
     FROM transcripts AS t JOIN transcript_tellings AS k ON k.number = t.telling
       LEFT JOIN LATERAL (${firstTelling}) AS first ON t.id <> k.id
     WHERE t.source = $1 AND t.id = $2`,
    [source, toStoredName(id)],
  )
  if (found === undefined) throw gone(source, id)
  const records = Number(found.records)
  const first = found.first === null ? null : Number(found.first)
  const parent = first === null ? null : (JSON.parse(String(found.firstHead)) as Head).id
  const copy = found.copy === true ? new CopyReader(parent) : undefined
  for (let at = 0; at < records; ) {
    const page = await rows(
      `SELECT doc, shared FROM (
         SELECT number, doc, sum(size) OVER (ORDER BY number) - size AS held,
           $5::bigint IS NOT NULL AND EXISTS (SELECT FROM transcript_records AS p
             WHERE p.telling = $5 AND p.message = r.message AND p.doc = r.doc) AS shared
         FROM transcript_records AS r WHERE telling = $1 AND number >= $2 AND number < $3
       ) AS next WHERE held < ${MOST_HELD}
         AND (SELECT cuts FROM transcript_tellings WHERE number = $1) = $4 ORDER BY number`,
      [Number(found.telling), at, Math.min(at + MOST_ROWS, records), Number(found.cuts), first],
    )
    if (page.length === 0) throw replaced(source, id)
    at += page.length
    const own = page
      .filter(({ shared }) => shared !== true)
      .map(({ doc }) => ofSession(id, JSON.parse(String(doc)) as TranscriptRecord))
    yield { records: copy ? own.flatMap((record) => copy.read(record)) : own }
  }
  const session: Session = { ...JSON.parse(String(found.session)), source, id }
  yield { records: [], session: copy ? copy.session(session) : session }
}

/** Assigns every record to the session it was uploaded as, whatever its content says. */
const ofSession = (id: string, record: TranscriptRecord): TranscriptRecord =>
  record.kind === 'message' ? { kind: 'message', message: { ...record.message, session_id: id } } : record

function toListed({ name, ...head }: Head, first: unknown): StoredTranscript {
  if (name === undefined) return head
  const own = { ...head, id: name }
  if (typeof first !== 'string') return own
  // How the copy is read depends on the first upload's contents.
  const { fingerprint } = JSON.parse(first) as Head
  return { ...own, fingerprint: `${own.fingerprint} ${fingerprint}`, own: own.own ?? own.fingerprint }
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
    [source, toStoredName(id), ids.map(toStoredName)],
  )
  const messages = new Map<string, Message>()
  for (const { doc } of found) {
    const record = JSON.parse(String(doc)) as TranscriptRecord
    if (record.kind === 'message') messages.set(record.message.id, { ...record.message, session_id: id })
  }
  return ids.flatMap((each) => messages.get(each) ?? [])
}

const gone = (source: string, id: string): Refused =>
  new Refused(failure('not_found', `The session ${id} of ${source} no longer exists.`))

const replaced = (source: string, id: string): Refused =>
  new Refused(
    failure('busy', `The session ${id} of ${source} was replaced while it was read. Try again in a moment.`),
  )

/**
 * Reads a computer's copy of another computer's session. While the first upload exists, the copy is a branch
 * of it: it contains only the messages that the first one lacks, so nothing counts twice, and only the agents
 * of those messages.
 */
class CopyReader {
  readonly #first: string | null
  /** Agents without a record so far. */
  readonly #agents = new Map<string, SessionAgent>()
  #began: number | null = null

  /** `first` is the session that this is a copy of, if it still exists. */
  constructor(first: string | null) {
    this.#first = first
  }

  read(record: TranscriptRecord): readonly TranscriptRecord[] {
    if (record.kind === 'message') {
      const { message } = record
      this.#began ??= message.ts
      return [...this.#until(message.agent_id), record]
    }
    if (record.kind === 'skipped' || this.#first === null) return [record]
    this.#agents.set(record.agent.id, record.agent)
    return []
  }

  session(session: Session): Session {
    if (this.#first === null) return session
    const { client_spending: _, ...own } = session
    return {
      ...own,
      parent_id: this.#first,
      lineage: 'branch',
      started_at: this.#began ?? session.started_at,
      // The usage covers the whole session, which the first upload reports as well.
      usage: null,
      cost_micro_usd: null,
    }
  }

  /** Returns an agent with records of its own and the agents above it. */
  #until(id: string): readonly TranscriptRecord[] {
    const found: TranscriptRecord[] = []
    for (let agent = this.#agents.get(id); agent; agent = this.#agents.get(agent.parent_id ?? '')) {
      this.#agents.delete(agent.id)
      found.unshift({ kind: 'agent', agent })
    }
    return found
  }
}

import { Refused } from '@panoptes/engine/worker-rpc'
import { readUploaderHost, type SessionRef } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Connection } from '../postgres/database.ts'
import { LOCKS } from '../postgres/locks.ts'
import { firstTelling, toStoredName } from './tables.ts'

/** A single transaction can reasonably hold this many locks. */
const LOCKS_OF_SESSIONS = 64
/** The length of the part that tells home folders of one computer apart. */
const SHORT = 8

/**
 * Returns the names that a session may get: its own id or, if that belongs to another computer, the id with
 * the name of its computer.
 */
export function namesFor(id: string, host: string): readonly string[] {
  const computer = readUploaderHost(host)
  const home = host.slice(computer.length + 1).replace(/^hub\./, '')
  const copy = `${id}@${computer}`
  return home === '' ? [id, copy] : [id, copy, `${copy}.${home.slice(0, SHORT)}`]
}

/**
 * Locks sessions before they are completed or dropped, so that it is clear which computer came first. All
 * callers lock in the same order, which avoids deadlocks.
 */
export async function lockSessions(
  { run }: Pick<Connection, 'run'>,
  schema: string,
  sessions: readonly SessionRef[],
): Promise<void> {
  const [sources, ids] = sessionColumns(sessions)
  await run(
    `SELECT pg_advisory_xact_lock($1, bucket) FROM (
       SELECT DISTINCT hashtext($2 || (hashtext(source || ' ' || id) & ${LOCKS_OF_SESSIONS - 1})) AS bucket
       FROM unnest($3::text[], $4::text[]) AS s (source, id) ORDER BY 1
     ) AS buckets`,
    [LOCKS.copies, `${schema} `, sources, ids],
  )
}

/** Reads the names of those sessions that this host has uploaded completely. */
export async function readNames(
  { rows }: Connection,
  host: string,
  sessions: readonly SessionRef[],
): Promise<(session: SessionRef) => string | undefined> {
  const found = await rows(
    `SELECT k.source, k.id, t.head FROM transcript_tellings AS k JOIN transcripts AS t ON t.telling = k.number
     WHERE k.host = $3 AND k.state = 'stands' AND (k.source, k.id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [...sessionColumns(sessions), toStoredName(host)],
  )
  const names = new Map(
    found.map(({ source, id, head }) => {
      const { id: own, name } = JSON.parse(String(head)) as { readonly id: string; readonly name?: string }
      return [sessionKey(String(source), String(id)), name ?? own]
    }),
  )
  return ({ source, id }) => names.get(sessionKey(source, toStoredName(id)))
}

/** Finds free names for sessions that this host completes for the first time. */
export async function findFreeNames(
  { rows }: Connection,
  host: string,
  sessions: readonly SessionRef[],
): Promise<readonly string[]> {
  const wanted = sessions.flatMap(({ source, id }) =>
    namesFor(id, host).map((name) => ({ source, id: name })),
  )
  const found = await rows(
    `SELECT t.source, t.id FROM transcripts AS t JOIN transcript_tellings AS k ON k.number = t.telling
     WHERE k.state = 'stands' AND (t.source, t.id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    sessionColumns(wanted),
  )
  const taken = new Set(found.map(({ source, id }) => sessionKey(String(source), String(id))))
  return sessions.map(({ source, id }) => {
    let name = id
    for (const each of namesFor(id, host)) {
      name = each
      if (!taken.has(sessionKey(source, toStoredName(name)))) break
    }
    // Somebody may already use this name for a session of theirs.
    for (let number = 2; taken.has(sessionKey(source, toStoredName(name))); number += 1)
      name = `${namesFor(id, host).at(-1)}-${number}`
    taken.add(sessionKey(source, toStoredName(name)))
    return name
  })
}

export const nameTaken = (): Refused =>
  new Refused(failure('busy', 'Another computer is sending a session with this id. Try again in a moment.'))

/** Records for the copies of these sessions whether they contain messages that the first upload lacks. */
export async function compareCopies({ run }: Connection, sessions: readonly SessionRef[]): Promise<void> {
  await run(
    `UPDATE transcripts AS t SET differs = EXISTS (
       SELECT FROM transcript_records AS r WHERE r.telling = t.telling AND r.message IS NOT NULL AND NOT EXISTS (
         SELECT FROM transcript_records AS p, LATERAL (${firstTelling}) AS first
         WHERE p.telling = first.telling AND p.message = r.message AND p.doc = r.doc))
     FROM transcript_tellings AS k
     WHERE k.number = t.telling AND k.id <> t.id
       AND (k.source, k.id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    sessionColumns(sessions),
  )
}

/**
 * Adds the copies that other computers uploaded: forgetting a session includes all its copies, while naming a
 * copy means that copy alone.
 */
export async function addCopies(
  { rows }: Pick<Connection, 'rows'>,
  sessions: readonly SessionRef[],
): Promise<readonly SessionRef[]> {
  const found = await rows(
    `SELECT t.source, t.head FROM transcript_tellings AS k JOIN transcripts AS t ON t.telling = k.number
     WHERE t.id <> k.id AND (k.source, k.id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    sessionColumns(sessions),
  )
  const copies = found.flatMap(({ source, head }) => {
    const { name } = JSON.parse(String(head)) as { readonly name?: string }
    return name === undefined ? [] : [{ source: String(source), id: name }]
  })
  return [...sessions, ...copies]
}

const sessionKey = (source: string, id: string): string => JSON.stringify([source, id])

export const sessionColumns = (
  sessions: readonly SessionRef[],
): readonly [readonly string[], readonly string[]] => [
  sessions.map(({ source }) => source),
  sessions.map(({ id }) => toStoredName(id)),
]

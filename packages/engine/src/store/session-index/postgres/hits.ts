import type { Message, PastSession } from '@panoptes/schema'
import { decodeRole, PACK, type PackedMessage, unpacked } from '../packed-messages.ts'
import type { Hit } from '../port.ts'
import { MOST_MESSAGES } from '../schema.ts'
import { sessionOfMessage } from './matches.ts'
import type { Asking } from './snapshot-queries.ts'

const messagePlace = (message: number): number => message % MOST_MESSAGES
/** Returns the number of the first message of its pack. */
const packStart = (message: number): number => message - (messagePlace(message) % PACK)

const packColumns = (messages: readonly number[]): readonly [readonly number[], readonly number[]] => {
  const packs = [...new Set(messages.map(packStart))]
  return [packs.map(sessionOfMessage), packs.map(messagePlace)]
}

const PACKS = `index_about AS a LEFT JOIN LATERAL (
  SELECT m.session, m.first, m.roles, m.doc FROM unnest($1::bigint[], $2::integer[]) AS asked (session, first)
    JOIN index_messages AS m USING (session, first)) AS m ON true`
const HITS = `SELECT a.turn, m.session, m.first, m.doc, s.place, s.doc AS of
  FROM ${PACKS} LEFT JOIN index_sessions AS s ON s.number = m.session AND s.fingerprint IS NOT NULL`

type Of = Pick<Hit, 'source' | 'session_id' | 'title' | 'project' | 'place'>

/** Reads stored messages by their numbers, and skips those that do not exist. */
export async function readHits(
  asking: Asking,
  messages: readonly number[],
): Promise<ReadonlyMap<number, Hit>> {
  const hits = new Map<number, Hit>()
  if (messages.length === 0) return hits
  const packs = new Map<number, { readonly messages: readonly PackedMessage[]; readonly of: Of }>()
  for (const row of await asking.rows('index_hits', HITS, packColumns(messages))) {
    if (row.of === null) continue
    const { source, id, title, project } = JSON.parse(String(row.of)) as PastSession
    packs.set(Number(row.session) * MOST_MESSAGES + Number(row.first), {
      messages: unpacked(String(row.doc)),
      of: { source, session_id: id, title, project, place: String(row.place) },
    })
  }
  for (const number of messages) {
    const pack = packs.get(packStart(number))
    const message = pack?.messages[messagePlace(number) % PACK]
    if (pack !== undefined && message !== undefined)
      hits.set(number, { ...pack.of, n: messagePlace(number), ...message })
  }
  return hits
}

/** Reads the role of each message without the rest. */
export async function rolesOfMessages(
  asking: Asking,
  messages: readonly number[],
): Promise<(message: number) => Message['role']> {
  const packs = new Map<number, string>()
  for (const { session, first, roles } of await asking.rows(
    'index_roles',
    `SELECT a.turn, m.session, m.first, m.roles FROM ${PACKS}`,
    packColumns(messages),
  ))
    packs.set(Number(session) * MOST_MESSAGES + Number(first), String(roles))
  return (message) => decodeRole(packs.get(packStart(message))?.[messagePlace(message) % PACK])
}

import type { Message, PastSession } from '@panoptes/schema'
import type { Connection } from '../../postgres/database.ts'
import { PACK, type PackedMessage, roleOf, unpacked } from '../packed.ts'
import type { Hit } from '../port.ts'
import { MOST_MESSAGES } from '../schema.ts'
import { sessionOfMessage } from './look-up.ts'

const placeOf = (message: number): number => message % MOST_MESSAGES
const packOf = (message: number): number => placeOf(message) - (placeOf(message) % PACK)

const packsOf = (messages: readonly number[]): readonly [readonly number[], readonly number[]] => {
  const packs = [...new Set(messages.map((message) => message - (placeOf(message) % PACK)))]
  return [packs.map(sessionOfMessage), packs.map(placeOf)]
}

const PACKS = `FROM unnest($1::bigint[], $2::integer[]) AS asked (session, first) JOIN index_messages AS m USING (session, first)`
const keyOf = (session: unknown, first: unknown): string => `${session} ${first}`

/** What is kept of messages, by their numbers; nothing of those that are not there. */
export async function hitsOf(
  { rows }: Connection,
  messages: readonly number[],
): Promise<ReadonlyMap<number, Hit>> {
  if (messages.length === 0) return new Map()
  const packs = new Map<string, readonly PackedMessage[]>()
  for (const { session, first, doc } of await rows(
    `SELECT m.session, m.first, m.doc ${PACKS}`,
    packsOf(messages),
  ))
    packs.set(keyOf(session, first), unpacked(String(doc)))
  const sessions = new Map<number, Pick<Hit, 'source' | 'session_id' | 'title' | 'project' | 'place'>>()
  for (const { number, place, doc } of await rows(
    'SELECT number, place, doc FROM index_sessions WHERE number = ANY($1) AND fingerprint IS NOT NULL',
    [[...new Set(messages.map(sessionOfMessage))]],
  )) {
    const { source, id, title, project } = JSON.parse(String(doc)) as PastSession
    sessions.set(Number(number), { source, session_id: id, title, project, place: String(place) })
  }
  const hits = new Map<number, Hit>()
  for (const number of messages) {
    const of = sessions.get(sessionOfMessage(number))
    const message = packs.get(keyOf(sessionOfMessage(number), packOf(number)))?.[placeOf(number) % PACK]
    if (of !== undefined && message !== undefined) hits.set(number, { ...of, n: placeOf(number), ...message })
  }
  return hits
}

/** The role of each, without the rest. */
export async function rolesOfMessages(
  { rows }: Connection,
  messages: readonly number[],
): Promise<(message: number) => Message['role']> {
  const packs = new Map<string, string>()
  for (const { session, first, roles } of await rows(
    `SELECT m.session, m.first, m.roles ${PACKS}`,
    packsOf(messages),
  ))
    packs.set(keyOf(session, first), String(roles))
  return (message) =>
    roleOf(packs.get(keyOf(sessionOfMessage(message), packOf(message)))?.[placeOf(message) % PACK])
}

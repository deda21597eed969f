import type { Message, PastSession } from '@panoptes/schema'
import { PACK, type PackedMessage, roleOf, unpacked } from '../packed.ts'
import type { Hit } from '../port.ts'
import { MOST_MESSAGES } from '../schema.ts'
import type { Asking } from './asking.ts'
import { sessionOfMessage } from './matches.ts'

const placeOf = (message: number): number => message % MOST_MESSAGES
/** The number of the first message of its pack. */
const packOf = (message: number): number => message - (placeOf(message) % PACK)

const packsOf = (messages: readonly number[]): readonly [readonly number[], readonly number[]] => {
  const packs = [...new Set(messages.map(packOf))]
  return [packs.map(sessionOfMessage), packs.map(placeOf)]
}

const PACKS = `index_about AS a LEFT JOIN LATERAL (
  SELECT m.session, m.first, m.roles, m.doc FROM unnest($1::bigint[], $2::integer[]) AS asked (session, first)
    JOIN index_messages AS m USING (session, first)) AS m ON true`
const HITS = `SELECT a.turn, m.session, m.first, m.doc, s.place, s.doc AS of
  FROM ${PACKS} LEFT JOIN index_sessions AS s ON s.number = m.session AND s.fingerprint IS NOT NULL`

type Of = Pick<Hit, 'source' | 'session_id' | 'title' | 'project' | 'place'>

/** What is kept of messages, by their numbers; nothing of those that are not there. */
export async function hitsOf(asking: Asking, messages: readonly number[]): Promise<ReadonlyMap<number, Hit>> {
  const hits = new Map<number, Hit>()
  if (messages.length === 0) return hits
  const packs = new Map<number, { readonly messages: readonly PackedMessage[]; readonly of: Of }>()
  for (const row of await asking.rows('index_hits', HITS, packsOf(messages))) {
    if (row.of === null) continue
    const { source, id, title, project } = JSON.parse(String(row.of)) as PastSession
    packs.set(Number(row.session) * MOST_MESSAGES + Number(row.first), {
      messages: unpacked(String(row.doc)),
      of: { source, session_id: id, title, project, place: String(row.place) },
    })
  }
  for (const number of messages) {
    const pack = packs.get(packOf(number))
    const message = pack?.messages[placeOf(number) % PACK]
    if (pack !== undefined && message !== undefined)
      hits.set(number, { ...pack.of, n: placeOf(number), ...message })
  }
  return hits
}

/** The role of each, without the rest. */
export async function rolesOfMessages(
  asking: Asking,
  messages: readonly number[],
): Promise<(message: number) => Message['role']> {
  const packs = new Map<number, string>()
  for (const { session, first, roles } of await asking.rows(
    'index_roles',
    `SELECT a.turn, m.session, m.first, m.roles FROM ${PACKS}`,
    packsOf(messages),
  ))
    packs.set(Number(session) * MOST_MESSAGES + Number(first), String(roles))
  return (message) => roleOf(packs.get(packOf(message))?.[placeOf(message) % PACK])
}

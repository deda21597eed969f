import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '@panoptes/schema'
import { type PackedMessage, roleIn, unpacked } from './packed-messages.ts'
import type { Hit } from './port.ts'
import { MOST_MESSAGES } from './schema.ts'

type HitSession = Omit<Hit, 'n' | keyof PackedMessage>

/** Reads stored messages by their numbers. With a filter on roles, other messages yield undefined. */
export function hitReader(
  db: DatabaseSync,
  isWanted?: (role: Message['role']) => boolean,
): (number: number) => Hit | undefined {
  const session = db.prepare(
    `SELECT source, id AS session_id, json_extract(doc, '$.title') AS title, project, place,
       json_extract(doc, '$.prompts_only') AS prompts_only FROM sessions WHERE number = ? AND fingerprint IS NOT NULL`,
  )
  const pack = db.prepare('SELECT number, doc FROM messages WHERE number <= ? ORDER BY number DESC LIMIT 1')
  const sessions = new Map<number, HitSession>()
  const packs = new Map<number, readonly PackedMessage[]>()
  return (number) => {
    const row = pack.get(number) as unknown as { readonly number: number; readonly doc: string } | undefined
    const own = Math.floor(number / MOST_MESSAGES)
    // The session was begun and is not written yet.
    if (row === undefined || row.number < own * MOST_MESSAGES) return undefined
    const at = number - row.number
    if (isWanted !== undefined && !isWanted(roleIn(row.doc, at))) return undefined
    const messages = packs.get(row.number) ?? unpacked(row.doc)
    packs.set(row.number, messages)
    const of = sessions.get(own) ?? toHitSession(session.get(own))
    // The session was begun and not completed.
    if (of === undefined) return undefined
    sessions.set(own, of)
    const message = messages[at]
    return message && { ...of, n: number % MOST_MESSAGES, ...message }
  }
}

function toHitSession(row: Record<string, unknown> | undefined): HitSession | undefined {
  if (row === undefined) return undefined
  const { prompts_only, ...rest } = row
  return { ...(rest as unknown as HitSession), ...(prompts_only === 1 && { prompts_only: true }) }
}

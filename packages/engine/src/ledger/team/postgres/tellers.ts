import { tellerOf } from '@panoptes/schema'
import type { Database } from '../../postgres/database.ts'
import { storedName } from '../../transcripts/tables.ts'
import { NOW } from './tables.ts'

/** A token that is over frees what it held, and one person's tokens hold it together. */
const HELD_BY_OTHER = `
  FROM tokens t LEFT JOIN users u ON u.id = t.user_id
    LEFT JOIN members m ON m.user_id = t.user_id AND m.space = t.space
  WHERE t.id = held.token_id AND t.id <> $3
    AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${NOW})
    AND (t.user_id IS NULL OR NOT u.disabled AND m.role IS NOT NULL)
    AND t.user_id IS DISTINCT FROM coalesce((SELECT user_id FROM tokens WHERE id = $3), '')`

const HELD = `
  SELECT held.token_id = $3 AS own, (SELECT t.label ${HELD_BY_OTHER}) AS other
  FROM tellers held WHERE held.space = $1 AND held.teller = $2`

const TAKE = `
  INSERT INTO tellers AS held VALUES ($1, $2, $3, ${NOW})
  ON CONFLICT (space, teller) DO UPDATE SET token_id = excluded.token_id, since = excluded.since
  WHERE NOT EXISTS (SELECT ${HELD_BY_OTHER})
  RETURNING true`

interface Telling {
  readonly space: string
  readonly teller: string
  readonly tokenId: string
  readonly take: boolean
}

/** Sessions of a computer come with the first token that told of them, as long as it is good: its label, where it is another. */
export async function holdTeller(database: Database, telling: Telling): Promise<string | null> {
  const { row } = database
  const { space, teller, tokenId, take } = telling
  const wish = [space, storedName(teller), tokenId]
  const held = await row(HELD, wish)
  const other = typeof held?.other === 'string' ? held.other : null
  if (!take || other !== null || held?.own === true) return other
  // Somebody may have been quicker.
  return (await row(TAKE, wish)) === undefined ? holdTeller(database, telling) : null
}

/** All homes on it. */
export const freeTeller = ({ run }: Database, space: string, host: string): Promise<number> =>
  run('DELETE FROM tellers WHERE space = $1 AND (teller = $2 OR starts_with(teller, $3))', [
    space,
    host,
    tellerOf(host, ''),
  ])

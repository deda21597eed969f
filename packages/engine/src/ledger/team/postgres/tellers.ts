import type { Database } from '../../postgres/database.ts'
import { storedName } from '../../transcripts/tables.ts'
import { NOW } from './tables.ts'

/** A token that is over frees what it held, and one person's tokens hold it together. */
const TAKE = `
  INSERT INTO tellers AS held VALUES ($1, $2, $3, ${NOW})
  ON CONFLICT (space, teller) DO UPDATE SET token_id = excluded.token_id, since = excluded.since
  WHERE NOT EXISTS (
    SELECT FROM tokens t LEFT JOIN users u ON u.id = t.user_id
      LEFT JOIN members m ON m.user_id = t.user_id AND m.space = t.space
    WHERE t.id = held.token_id AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${NOW})
      AND (t.user_id IS NULL OR NOT u.disabled AND m.role IS NOT NULL)
      AND t.user_id IS DISTINCT FROM coalesce((SELECT user_id FROM tokens WHERE id = $3), ''))
  RETURNING true`

/** Whether sessions of this computer come with this token: with the first that told of them, as long as it is good. */
export async function holdTeller(
  { row }: Database,
  { space, teller, tokenId }: { readonly space: string; readonly teller: string; readonly tokenId: string },
): Promise<boolean> {
  const name = storedName(teller)
  const held = await row('SELECT token_id FROM tellers WHERE space = $1 AND teller = $2', [space, name])
  return held?.token_id === tokenId || (await row(TAKE, [space, name, tokenId])) !== undefined
}

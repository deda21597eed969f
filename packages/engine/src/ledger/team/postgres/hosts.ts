import type { Database } from '../../postgres/database.ts'
import { NOW } from './tables.ts'

/** Nobody waits to be told: whoever finds the row in somebody's hands leaves it. */
const SAW = `UPDATE tokens SET host = $2, host_seen = ${NOW} WHERE id IN (
  SELECT id FROM tokens WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED)`

export async function sawHost({ run }: Database, tokenId: string, host: string): Promise<null> {
  await run(SAW, [tokenId, host])
  return null
}

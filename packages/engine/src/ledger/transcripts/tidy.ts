import type { SessionRef } from '@panoptes/schema'
import type { Connection, Database } from '../postgres/database.ts'
import { LOCKS } from '../postgres/locks.ts'
import { NOW } from './store.ts'
import { channelOf, storedName } from './tables.ts'

/** Whoever reads what another telling took the place of has so long. */
const OVER_MS = 60_000
/** What was begun and is not gone on with. */
const HALF_MS = 86_400_000
const MOST = 20

/** Takes out some of what nobody reads any more. The answer is whether there may be more. */
export const tidy = ({ transaction }: Database): Promise<boolean> =>
  transaction(async ({ rows, run }) => {
    const found = await rows(
      `SELECT number FROM transcript_tellings WHERE state <> 'stands'
         AND changed_at < ${NOW} - CASE state WHEN 'over' THEN ${OVER_MS} ELSE ${HALF_MS} END
       ORDER BY changed_at LIMIT ${MOST} FOR UPDATE SKIP LOCKED`,
    )
    const numbers = found.map(({ number }) => Number(number))
    if (numbers.length === 0) return false
    await run('DELETE FROM transcript_records WHERE telling = ANY($1)', [numbers])
    await run('DELETE FROM transcript_tellings WHERE number = ANY($1)', [numbers])
    return numbers.length === MOST
  })

export async function forgetTranscript(
  { row, run }: Connection,
  { source, id }: SessionRef,
): Promise<Readonly<Record<string, number>>> {
  await run('SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))', [LOCKS.transcripts])
  const of = [source, storedName(id)]
  const transcripts = await run('DELETE FROM transcripts WHERE source = $1 AND id = $2', of)
  await run('DELETE FROM transcripts_told WHERE source = $1 AND id = $2', of)
  await run(
    'DELETE FROM transcript_records WHERE telling IN (SELECT number FROM transcript_tellings WHERE source = $1 AND id = $2)',
    of,
  )
  await run('DELETE FROM transcript_tellings WHERE source = $1 AND id = $2', of)
  if (transcripts === 0) return {}
  // Whoever read it while it was being forgotten looks again.
  const schema = (await row('SELECT current_schema() AS name'))?.name
  await run('SELECT pg_notify($1, $2)', [channelOf(String(schema)), source])
  return { transcripts }
}

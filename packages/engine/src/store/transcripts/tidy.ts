import type { SessionRef } from '@panoptes/schema'
import type { Connection, Database } from '../postgres/database.ts'
import { LOCKS } from '../postgres/locks.ts'
import { NOW } from './store.ts'
import { toStoredName, transcriptChannel } from './tables.ts'

/** Readers of a replaced upload have this long to finish. */
const OVER_MS = 60_000
/** An unfinished upload is kept for this long without progress. */
const HALF_MS = 86_400_000
const MOST = 20

/** Removes some of what nobody reads any more, and returns whether there may be more. */
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

/** Forgets a session with the copies that other computers uploaded, or a single copy by its own name. */
export async function forgetTranscript(
  { row, run }: Connection,
  { source, id }: SessionRef,
): Promise<Readonly<Record<string, number>>> {
  await run('SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))', [LOCKS.transcripts])
  const copy = await row(
    `SELECT k.id, k.host FROM transcripts AS t JOIN transcript_tellings AS k ON k.number = t.telling
     WHERE t.source = $1 AND t.id = $2 AND k.id <> t.id`,
    [source, toStoredName(id)],
  )
  const of =
    copy === undefined ? [source, toStoredName(id), null] : [source, String(copy.id), String(copy.host)]
  const which =
    '(SELECT number FROM transcript_tellings WHERE source = $1 AND id = $2 AND ($3::text IS NULL OR host = $3))'
  const transcripts = await run(`DELETE FROM transcripts WHERE telling IN ${which}`, of)
  await run(
    'DELETE FROM transcripts_told WHERE source = $1 AND id = $2 AND ($3::text IS NULL OR host = $3)',
    of,
  )
  await run(`DELETE FROM transcript_records WHERE telling IN ${which}`, of)
  await run(`DELETE FROM transcript_tellings WHERE number IN ${which}`, of)
  if (transcripts === 0) return {}
  // Notifies readers that read the session while it was being forgotten.
  const schema = (await row('SELECT current_schema() AS name'))?.name
  await run('SELECT pg_notify($1, $2)', [transcriptChannel(String(schema)), source])
  return { transcripts }
}

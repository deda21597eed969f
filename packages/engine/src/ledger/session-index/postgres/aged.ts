import type { Connection, Database } from '../../postgres/database.ts'
import type { Aged } from '../aged.ts'
import type { HiddenSession } from '../port.ts'

/** Those to be taken out. Who was taken out and may be there now is known by nothing any more, so that it is read. */
export async function aging({ rows, run }: Database, before: number | null): Promise<readonly Aged[]> {
  await run('DELETE FROM index_aged WHERE $1::bigint IS NULL OR last_at >= $1', [before])
  const found = await rows(
    'SELECT source, id, fingerprint, last_at FROM index_sessions WHERE last_at < $1 AND fingerprint IS NOT NULL',
    [before],
  )
  return found as unknown as readonly Aged[]
}

export async function keepAged({ run }: Connection, sessions: readonly Aged[]): Promise<number> {
  await run('INSERT INTO index_aged SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])', [
    sessions.map(({ source }) => source),
    sessions.map(({ id }) => id),
    sessions.map(({ fingerprint }) => fingerprint),
    sessions.map(({ last_at }) => last_at),
  ])
  return sessions.length
}

export async function hidden({ rows }: Database): Promise<readonly HiddenSession[]> {
  const found = await rows(
    `SELECT source, id, 'begun' AS why FROM index_sessions WHERE fingerprint IS NULL
     UNION ALL SELECT source, id, 'aged' FROM index_aged`,
  )
  return found as unknown as readonly HiddenSession[]
}

import { randomBytes } from 'node:crypto'
import type { SessionRef } from '@panoptes/schema'
import type { AchievementStore, ContributionRow, UnlockRow } from '../achievement-store-port.ts'
import type { ForgottenSessions } from '../forgotten-sessions.ts'
import type { Ask } from './auxiliary-tables.ts'
import type { Connection, Database } from './database.ts'

export const createAchievementStore = (
  database: Database,
  forgotten: ForgottenSessions,
  ask: Ask,
): AchievementStore => ({
  contributions: (scope, after, limit) =>
    ask(() =>
      listRows<ContributionRow>(
        database,
        `SELECT scope, source, id, fingerprint, doc FROM contributions
         WHERE scope = $1 AND id > $2 ORDER BY id LIMIT $3`,
        [scope, after, limit],
      ),
    ),
  // Another process may have forgotten some of these sessions.
  contribute: (rows) =>
    ask(() =>
      contribute(
        database,
        rows.filter(({ source, id }) => !forgotten.has(source, id)),
      ),
    ),
  drop: (scope) => ask(() => database.run('DELETE FROM contributions WHERE scope = $1', [scope])),
  unlocks: (view) =>
    ask(() =>
      listRows<UnlockRow>(database, 'SELECT view, id, doc FROM unlocks WHERE view = $1 ORDER BY id', [view]),
    ),
  unlock: (rows) => ask(() => unlock(database, rows)),
  lock: (view) =>
    ask(() => database.run(`DELETE FROM unlocks WHERE view = $1 OR starts_with(view, $1 || E'\\n')`, [view])),
  notes: () =>
    ask(async () => {
      const rows = await database.rows('SELECT name, value FROM achieved_notes')
      return new Map(rows.map(({ name, value }) => [String(name), String(value)]))
    }),
  note: (name, value) =>
    ask(async () => {
      await database.run(
        'INSERT INTO achieved_notes VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        [name, value],
      )
      return null
    }),
})

async function listRows<R>(
  { rows }: Database,
  sql: string,
  values: readonly (string | number)[],
): Promise<readonly R[]> {
  return (await rows(sql, values)) as readonly unknown[] as readonly R[]
}

/** The last write of each contribution wins. */
async function contribute({ run }: Database, rows: readonly ContributionRow[]): Promise<null> {
  const own = [...new Map(rows.map((row) => [JSON.stringify([row.scope, row.id]), row])).values()]
  await run(
    `INSERT INTO contributions SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
     ON CONFLICT (scope, id) DO UPDATE SET fingerprint = excluded.fingerprint, doc = excluded.doc`,
    [
      own.map(({ scope }) => scope),
      own.map(({ id }) => id),
      own.map(({ source }) => source),
      own.map(({ fingerprint }) => fingerprint),
      own.map(({ doc }) => doc),
    ],
  )
  return null
}

async function unlock({ run }: Database, rows: readonly UnlockRow[]): Promise<null> {
  const own = [...new Map(rows.map((row) => [JSON.stringify([row.view, row.id]), row])).values()]
  await run(
    `INSERT INTO unlocks SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
     ON CONFLICT (view, id) DO UPDATE SET doc = excluded.doc`,
    [own.map(({ view }) => view), own.map(({ id }) => id), own.map(({ doc }) => doc)],
  )
  return null
}

interface Unlocked {
  evidence?: { readonly session_id?: string } | null
}

/** Keeps the numbers but removes everything that identifies the session. Returns how many rows named it. */
export async function forgetAchievements(
  { rows, run }: Connection,
  { source, id }: SessionRef,
): Promise<{ readonly achievements: number }> {
  const named = await rows('SELECT scope, doc FROM contributions WHERE source = $1 AND id = $2', [source, id])
  for (const { scope, doc } of named) {
    const { skipped: _, ...rest } = JSON.parse(String(doc)) as Record<string, unknown>
    await run(
      `UPDATE contributions SET id = E'\\x1f' || $3, fingerprint = '', doc = $4 WHERE scope = $1 AND id = $2`,
      [String(scope), id, randomBytes(16).toString('hex'), JSON.stringify({ ...rest, title: '' })],
    )
  }
  const unlocks = await rows('SELECT view, id, doc FROM unlocks WHERE strpos(doc, $1) > 0', [
    JSON.stringify(id),
  ])
  let unproven = 0
  for (const { view, id: unlocked, doc } of unlocks) {
    const unlockDoc = JSON.parse(String(doc)) as Unlocked
    if (unlockDoc.evidence?.session_id !== id) continue
    unproven += await run('UPDATE unlocks SET doc = $3 WHERE view = $1 AND id = $2', [
      String(view),
      String(unlocked),
      JSON.stringify({ ...unlockDoc, evidence: null }),
    ])
  }
  return { achievements: named.length + unproven }
}

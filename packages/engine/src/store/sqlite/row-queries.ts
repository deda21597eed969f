/**
 * Queries for rows of projections. Without statistics the planner answers any condition on `name` by key and
 * reads every agent, so each query names its index.
 */
export const rowQueries = {
  byTag: `SELECT doc FROM projection_rows INDEXED BY projection_rows_tag
    WHERE name = 'agents' AND tag = ? ORDER BY ord DESC, key DESC`,
  countByTag: `SELECT count(*) AS alive FROM projection_rows INDEXED BY projection_rows_tag
    WHERE name = 'agents' AND tag = ?`,
  groupsByTagSince: `SELECT grp FROM projection_rows INDEXED BY projection_rows_tag
    WHERE name = 'agents' AND tag = ? AND ord >= ?`,
  newestSessions: `SELECT doc FROM projection_rows INDEXED BY projection_rows_tag
    WHERE name = 'sessions' AND tag = 'all' ORDER BY ord DESC, key LIMIT ?`,
  sessionsByRef: `SELECT doc FROM projection_rows INDEXED BY projection_rows_ref
    WHERE name = 'sessions' AND ref = ? ORDER BY ord DESC, key LIMIT ?`,
  newestByRef: `SELECT doc FROM projection_rows INDEXED BY projection_rows_ref
    WHERE name = ? AND ref = ? ORDER BY ord DESC LIMIT 1`,
  groupsByRef: `SELECT grp FROM projection_rows INDEXED BY projection_rows_ref
    WHERE name = 'sessions' AND ref = ? ORDER BY grp`,
  agentsRow: `SELECT doc FROM projection_rows INDEXED BY projection_rows_key WHERE name = 'agents' AND key = ?`,
  /** A row's key begins with its group, so the index of keys keeps a group together. */
  ofGroup: `SELECT doc FROM projection_rows INDEXED BY projection_rows_key
    WHERE name = 'agents' AND key > ?1 || char(31) AND key < ?1 || char(32) AND grp = ?1 ORDER BY ord, key`,
} as const

export const aliveOfGroup = (table: string): string =>
  `SELECT key FROM ${table} INDEXED BY ${table}_alive WHERE name = ? AND grp = ? AND tag = 'alive' ORDER BY key`

export const keysOfGroup = (table: string): string =>
  `SELECT key FROM ${table} INDEXED BY ${table}_key WHERE name = ?1 AND key > ?2 || char(31) AND key < ?2 || char(32) AND grp = ?2 ORDER BY key`

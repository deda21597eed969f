import { appendFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { run } from './run.ts'

/** Files that the copy adds, which the server must own. */
export const NEW_FILES = ['backup_label', 'standby.signal']

/**
 * Copies a running server's database for a standby that follows it. It does with SQL what `pg_basebackup` does, which
 * not every PostgreSQL comes with.
 */
export async function copyDatabase(primary: string, data: string, as: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: primary })
  await client.connect()
  try {
    const [{ folder, version }] = (
      await client.query(
        "SELECT current_setting('data_directory') AS folder, current_setting('server_version_num')::int AS version",
      )
    ).rows
    // Before version 15 the functions had other names, and one parameter more.
    const isOld = version < 150_000
    await client.query(
      isOld ? "SELECT pg_start_backup('copy', true, false)" : "SELECT pg_backup_start('copy', true)",
    )
    const [command = '', ...args] = [...as, 'cp', '-R', folder, data]
    // A file may vanish during the copy. The standby replays that change from the log.
    await run(command, args, { seconds: 120 })
    const stopped = await client.query(
      `SELECT labelfile FROM ${isOld ? 'pg_stop_backup(false, ' : 'pg_backup_stop('}false)`,
    )
    await writeFile(join(data, 'backup_label'), stopped.rows[0].labelfile)
  } finally {
    await client.end()
  }
  const log = join(data, 'pg_wal')
  for (const entry of await readdir(log, { withFileTypes: true }))
    if (entry.isFile()) await rm(join(log, entry.name))
  await rm(join(data, 'postmaster.pid'), { force: true })
  await rm(join(data, 'postmaster.opts'), { force: true })
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`)
  await writeFile(join(data, 'standby.signal'), '')
}

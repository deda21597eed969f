import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  APPLICATION_ID,
  migrate,
  migrations,
  readApplicationId,
  readVersion,
  SCHEMA_VERSION,
} from './migrations.ts'
import { openSqliteStore } from './sqlite-store.ts'

/** Inserts an event as each version wrote it. A new migration that changes `events` adds a line here. */
const insertBy: readonly { readonly since: number; readonly sql: string }[] = [
  {
    since: 1,
    sql: `INSERT INTO events (seq, key, ts, event, source, session_id, agent_id, failed, body) VALUES
      (1, 'k1', 1000, 'session_start', 'custom', 's', NULL, 0, '{"v":1,"key":"k1","ts":1000,"event":"session_start","source":"custom","host":"h","session_id":"s"}'),
      (2, 'k2', 2000, 'tool_use', 'custom', 's', 'main', 0, '{"v":1,"key":"k2","ts":2000,"event":"tool_use","source":"custom","host":"h","session_id":"s","agent_id":"main","tool":"Bash"}')`,
  },
]

describe('migrations', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'panoptes-migrations-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const fileAt = (version: number): string => {
    const file = join(folder, 'ledger.db')
    const db = new DatabaseSync(file)
    migrate(db, version)
    const insert = insertBy.findLast((each) => each.since <= version)
    if (insert !== undefined) db.exec(insert.sql)
    db.close()
    return file
  }

  it('are documented to the last one, with every existing table', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../../docs/formats/ledger.md'), 'utf8')
    const versions = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, version]) => Number(version))
    expect(versions).toEqual(migrations.map((_, at) => at + 1))
    const db = new DatabaseSync(fileAt(SCHEMA_VERSION))
    const tables = db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
      .all()
    db.close()
    expect(tables.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([])
    expect(tables.length).toBeGreaterThan(5)
  })

  it.each(migrations.map((_, version) => version))(
    'upgrade a store of version %i to the newest',
    async (version) => {
      const opened = await openSqliteStore(fileAt(version))
      if (!opened.ok) throw new Error(opened.message)
      const info = await opened.value.info()
      await opened.value.close()
      expect(info).toMatchObject({ ok: true, value: { schemaVersion: SCHEMA_VERSION } })
    },
  )

  it.each(migrations.map((_, i) => i + 1))(
    'keep the events of version %i and rebuild their projections',
    async (version) => {
      const opened = await openSqliteStore(fileAt(version))
      if (!opened.ok) throw new Error(opened.message)
      const store = opened.value
      const page = await store.read({ after: 0, limit: 10 })
      const counters = await store.counters()
      const check = await store.rebuild({ check: true })
      await store.close()
      expect(page.ok && page.value.rows.map((row) => row.seq)).toEqual([1, 2])
      expect(counters.ok && counters.value.value).toMatchObject({ events: 2, tool_calls: 1 })
      expect(check).toMatchObject({ ok: true, value: { events: 2, differences: 0 } })
    },
  )

  it('find failures that an older version did not recognise', async () => {
    const file = fileAt(4)
    const db = new DatabaseSync(file)
    const insert = db.prepare(
      `INSERT INTO events (seq, key, ts, event, source, session_id, agent_id, failed, body) VALUES (?, ?, 1, ?, 'custom', 's', 'a', 0, ?)`,
    )
    const write = (seq: number, event: string, fields: object) =>
      insert.run(seq, `k${seq}`, event, JSON.stringify({ v: 1, key: `k${seq}`, ts: 1, event, ...fields }))
    write(3, 'agent_done', { id: 'a', error: 'rate_limit' })
    write(4, 'agent_done', { id: 'a' })
    write(5, 'agent_link', { id: 'a', status: 'failed' })
    write(6, 'agent_link', { id: 'a', status: 'completed' })
    migrate(db)
    const failed = db.prepare('SELECT seq FROM events INDEXED BY events_failed WHERE failed = 1 ORDER BY seq')
    expect(failed.all().map(({ seq }) => seq)).toEqual([3, 5])
    db.close()
  })

  it('leave a complete older version behind when a step fails', () => {
    const db = new DatabaseSync(join(folder, 'ledger.db'))
    migrate(db)
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION - 1}`)
    expect(() => migrate(db)).toThrow()
    if (db.isTransaction) db.exec('ROLLBACK')
    expect(readVersion(db)).toBe(SCHEMA_VERSION - 1)
    db.close()
  })

  it('mark the file as a store', () => {
    const db = new DatabaseSync(fileAt(SCHEMA_VERSION))
    expect(readApplicationId(db)).toBe(APPLICATION_ID)
    db.close()
  })
})

import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { event } from '../conformance/event-kit.ts'
import { value } from '../conformance/lab.ts'
import type { EventStore } from '../port.ts'
import { openPostgresStore } from '../postgres/postgres-store.ts'
import { openSqliteStore } from '../sqlite/sqlite-store.ts'
import { moveStore } from './move.ts'
import { fillRichly, readAllAnswers } from './rich-store.test-kit.ts'
import { movedTables, projectionRows } from './tables.ts'

const url = usePostgres()
const folder = join(tmpdir(), `panoptes-migrate-${randomUUID()}`)
const client = new Client({ connectionString: url })
const schemas = new Set<string>()
const file = join(folder, 'ledger.db')
let before: Readonly<Record<string, unknown>>

const newPlace = () => {
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  schemas.add(schema)
  return { url, schema, space: 'main' }
}
const movingName = (schema: string) => `moving_${schema}`
const isThere = async (schema: string): Promise<boolean> =>
  (await client.query('SELECT to_regnamespace($1) AS there', [schema])).rows[0].there !== null

async function used<T>(opened: EventStore, work: (store: EventStore) => Promise<T>): Promise<T> {
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}
const inSqlite = async <T>(work: (store: EventStore) => Promise<T>) =>
  used(value(await openSqliteStore(file)), work)
const inPostgres = async <T>(schema: string, work: (store: EventStore) => Promise<T>) =>
  used(value(await openPostgresStore({ url, schema })), work)

beforeAll(async () => {
  mkdirSync(folder)
  await client.connect()
  await inSqlite((store) => fillRichly(store, 7, 3_000))
  before = await inSqlite(readAllAnswers)
})
afterAll(async () => {
  for (const schema of schemas)
    for (const each of [schema, movingName(schema)])
      await client.query(`DROP SCHEMA IF EXISTS ${each} CASCADE`)
  await client.end()
  rmSync(folder, { recursive: true, force: true })
})

describe('moving a store into PostgreSQL', () => {
  it('has a place for every table and every column of the file', async () => {
    const place = newPlace()
    await inPostgres(place.schema, async () => undefined)
    const db = new DatabaseSync(file, { readOnly: true })
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
    db.close()
    // These tables are derived from the others, or are stored in the head row.
    const made = ['checkpoints', 'parked', 'late', 'projection_versions', 'meta']
    const all = [...movedTables(null), projectionRows]
    expect(
      tables
        .map(({ name }) => String(name))
        .filter((name) => !made.includes(name))
        .toSorted(),
    ).toEqual(
      all
        .map(({ table }) => table)
        .filter((table) => !['event_keys', 'achieved_notes', 'template_texts'].includes(table))
        .toSorted(),
    )
    const { rows } = await client.query(
      `SELECT c.relname AS table, a.attname AS column FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
       WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped`,
      [place.schema],
    )
    const moved = new Map(all.map(({ table, columns }) => [table, columns]))
    // Tables that only a team uses are empty at first.
    const unfilled = (rows as { table: string; column: string }[]).filter(
      ({ table, column }) => moved.get(table)?.includes(column) === false,
    )
    // This column names the process that works on a conversation, and no process does here.
    expect(unfilled.map(({ table, column }) => `${table}.${column}`)).toEqual(['conversations.hub'])
  })

  it('results in a store that answers everything like the file, and continues from there', async () => {
    const place = newPlace()
    const stages: string[] = []
    const moved = value(await moveStore(file, place, { onStage: (stage) => stages.push(stage) }))
    expect(stages).toEqual(['copy', 'fold', 'compare'])
    expect(await isThere(movingName(place.schema))).toBe(false)
    const after = await inPostgres(place.schema, readAllAnswers)
    expect(after.log).toEqual(before.log)
    for (const [what, answer] of Object.entries(before))
      expect(withoutNul(after[what]), what).toEqual(withoutNul(answer))
    expect(moved.tables.find(({ table }) => table === 'events')?.rows).toBe(
      moved.events + value(await inPostgres(place.schema, (store) => store.info())).forgotten,
    )
    expect(moved.events).toBeLessThan(moved.last_seq - moved.first_seq + 1)
    await inPostgres(place.schema, async (store) => {
      expect(value(await store.verify())).toEqual([])
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
      const { last } = value(await store.head())
      const duplicate = event(1, { key: 'h1', session_id: 'odd', source: 'claude-code' })
      const gone = event(9, { key: 'g', source: 'codex', session_id: 'gone' })
      expect(value(await store.append([duplicate, gone]))).toMatchObject({ accepted: 0, duplicates: 2, last })
      expect(value(await store.append([event(10, { key: 'new' })])).last).toBe(last + 1)
      value(await store.conversations.remember({ id: 'f2', ts: 6, text: 'new' }))
      expect(value(await store.templateUses.inject({ ...injection, key: 'new' }))).toBe(true)
    })
  })

  it('moves the templates, which are files on a computer and shared between hubs', async () => {
    const place = newPlace()
    const templates = new Map([
      ['good.json', '{"name":"good \\\\ \\u65e5"}\n'],
      ['.deleted/17.bad.json', 'half\ta \\N line'],
    ])
    const { tables } = value(await moveStore(file, place, { templates }))
    expect(tables.find(({ table }) => table === 'template_texts')?.rows).toBe(2)
    await inPostgres(place.schema, async ({ templateUses }) => {
      expect(await templateUses.shared?.all()).toEqual({
        ok: true,
        value: new Map([...templates].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      })
    })
  })

  it('assigns conversations and facts to the named owner', async () => {
    const place = newPlace()
    value(await moveStore(file, place, { owner: { id: 'u1', name: 'Ada' } }))
    await inPostgres(place.schema, async ({ conversations }) => {
      expect(value(await conversations.list({ limit: 9, visibleTo: null })).total).toBe(0)
      const own = value(await conversations.list({ limit: 9, visibleTo: 'u1' }))
      expect(own.rows.map(({ owner, owner_name }) => [owner, owner_name])).toEqual(
        Array(3).fill(['u1', 'Ada']),
      )
      expect(value(await conversations.facts())).toEqual([])
      expect(value(await conversations.facts('u1'))).toHaveLength(1)
    })
  })

  it('with check, reports what would move and changes nothing', async () => {
    const place = newPlace()
    const report = value(await moveStore(file, place, { check: true }))
    expect(report.tables.find(({ table }) => table === 'conversations')?.rows).toBe(3)
    expect([await isThere(place.schema), await isThere(movingName(place.schema))]).toEqual([false, false])
  })

  it('accepts an existing empty space and refuses one with any data', async () => {
    const place = newPlace()
    await inPostgres(place.schema, async (store) => value(await store.append([], { bus: 'of a hub' })))
    value(await moveStore(file, place))
    expect(await moveStore(file, place)).toMatchObject({ ok: false, code: 'invalid' })
    const other = newPlace()
    await inPostgres(other.schema, async ({ conversations }) =>
      value(await conversations.remember({ id: 'f', ts: 1, text: 'Only a fact.' })),
    )
    const refused = await moveStore(file, other, { check: true })
    expect(refused).toMatchObject({ ok: false, code: 'invalid' })
    expect(!refused.ok && refused.message).toContain('already has data')
  })

  it('refuses a store that is in use and says so', async () => {
    await inSqlite(async () => {
      expect(await moveStore(file, newPlace())).toMatchObject({ ok: false, code: 'locked' })
    })
    expect(await moveStore(join(folder, 'no.db'), newPlace())).toMatchObject({ code: 'not_found' })
  })

  it('leaves nothing behind when it is stopped at any stage, and then moves everything', async () => {
    const place = newPlace()
    for (const [stage, at] of [
      ['copy', 0.7],
      ['fold', 0.1],
      ['compare', 0.5],
    ] as const) {
      const stop = new AbortController()
      let now = ''
      const stopped = await moveStore(file, place, {
        signal: stop.signal,
        onStage: (begun) => {
          now = begun
        },
        onProgress: (done, total) => {
          if (now === stage && done >= total * at) stop.abort()
        },
      })
      expect(stopped, stage).toMatchObject({ ok: false, code: 'stopped' })
      expect([await isThere(place.schema), await isThere(movingName(place.schema))]).toEqual([false, false])
    }
    value(await moveStore(file, place))
    const counters = await inPostgres(place.schema, async (store) => value(await store.counters()))
    expect(counters).toEqual(before.counters)
  })

  it('refuses a file whose projections do not match its log', async () => {
    const copy = join(folder, 'spoiled.db')
    await inSqlite(async (store) => value(await store.backup(copy)))
    const db = new DatabaseSync(copy)
    db.exec(`UPDATE projection_rows SET doc = replace(doc, '"events":', '"event5":') WHERE name = 'counters'`)
    db.close()
    const place = newPlace()
    const refused = await moveStore(copy, place)
    expect(refused).toMatchObject({ ok: false, code: 'corrupt' })
    expect(!refused.ok && refused.message).toContain('panoptes rebuild')
    expect(await isThere(place.schema)).toBe(false)
  })
})

/** PostgreSQL cannot store NUL, so texts that are not JSON get a replacement character instead. */
const withoutNul = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (_, each: unknown) =>
    typeof each === 'string' ? each.replaceAll('\0', '\ufffd') : each,
  )

const injection = {
  ts: 1_000,
  template: 'tidy',
  place: 'panoptes',
  made_at: 1,
  task_type: 'code',
  target: 'openai',
  arm: 'with',
  drawn: true,
  source: null,
  session_id: null,
  project: null,
} as const

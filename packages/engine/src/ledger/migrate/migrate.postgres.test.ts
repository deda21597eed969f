import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { event } from '../conformance/kit.ts'
import { value } from '../conformance/lab.ts'
import type { Ledger } from '../port.ts'
import { openPostgresLedger } from '../postgres/ledger.ts'
import { openSqliteLedger } from '../sqlite/ledger.ts'
import { moveLedger } from './move.ts'
import { answersOf, fillRichly } from './rich-ledger.test-kit.ts'
import { movedTables, projectionRows } from './tables.ts'

const url = inject('postgres')
const folder = mkdtempSync(join(tmpdir(), 'panoptes-migrate-'))
const client = new Client({ connectionString: url })
const schemas = new Set<string>()
const file = join(folder, 'ledger.db')
let before: Readonly<Record<string, unknown>>

const newPlace = () => {
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  schemas.add(schema)
  return { url, schema, space: 'main' }
}
const movingOf = (schema: string) => `moving_${schema}`
const isThere = async (schema: string): Promise<boolean> =>
  (await client.query('SELECT to_regnamespace($1) AS there', [schema])).rows[0].there !== null

async function used<T>(opened: Ledger, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}
const inSqlite = async <T>(work: (ledger: Ledger) => Promise<T>) =>
  used(value(await openSqliteLedger(file)), work)
const inPostgres = async <T>(schema: string, work: (ledger: Ledger) => Promise<T>) =>
  used(value(await openPostgresLedger({ url, schema })), work)

beforeAll(async () => {
  await client.connect()
  await inSqlite((ledger) => fillRichly(ledger, 7, 3_000))
  before = await inSqlite(answersOf)
})
afterAll(async () => {
  for (const schema of schemas)
    for (const each of [schema, movingOf(schema)]) await client.query(`DROP SCHEMA IF EXISTS ${each} CASCADE`)
  await client.end()
  rmSync(folder, { recursive: true, force: true })
})

describe('moving a ledger into PostgreSQL', () => {
  it('has a place for every table and every column of the file', async () => {
    const place = newPlace()
    await inPostgres(place.schema, async () => undefined)
    const db = new DatabaseSync(file, { readOnly: true })
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
    db.close()
    // Made of the others, or kept in the row of the head.
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
    // Tables that only a team has are empty at first.
    const unfilled = (rows as { table: string; column: string }[]).filter(
      ({ table, column }) => moved.get(table)?.includes(column) === false,
    )
    // Which process is at work in one: none.
    expect(unfilled.map(({ table, column }) => `${table}.${column}`)).toEqual(['conversations.hub'])
  })

  it('gives a ledger that answers everything as the file did, and goes on from there', async () => {
    const place = newPlace()
    const stages: string[] = []
    const moved = value(await moveLedger(file, place, { onStage: (stage) => stages.push(stage) }))
    expect(stages).toEqual(['copy', 'fold', 'compare'])
    expect(await isThere(movingOf(place.schema))).toBe(false)
    const after = await inPostgres(place.schema, answersOf)
    expect(after.log).toEqual(before.log)
    for (const [what, answer] of Object.entries(before))
      expect(withoutNul(after[what]), what).toEqual(withoutNul(answer))
    expect(moved.tables.find(({ table }) => table === 'events')?.rows).toBe(moved.events)
    await inPostgres(place.schema, async (ledger) => {
      expect(value(await ledger.verify())).toEqual([])
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
      const { last } = value(await ledger.head())
      const known = event(1, { key: 'h1', session_id: 'odd', source: 'claude-code' })
      const gone = event(9, { key: 'g', source: 'codex', session_id: 'gone' })
      expect(value(await ledger.append([known, gone]))).toMatchObject({ accepted: 0, duplicates: 2, last })
      expect(value(await ledger.append([event(10, { key: 'new' })])).last).toBe(last + 1)
      value(await ledger.conversations.remember({ id: 'f2', ts: 6, text: 'new' }))
      expect(value(await ledger.templated.inject({ ...injection, key: 'new' }))).toBe(true)
    })
  })

  it('brings the templates along, which are files of a computer and shared by hubs', async () => {
    const place = newPlace()
    const templates = new Map([
      ['good.json', '{"name":"good \\\\ \\u65e5"}\n'],
      ['.deleted/17.bad.json', 'half\ta \\N line'],
    ])
    const { tables } = value(await moveLedger(file, place, { templates }))
    expect(tables.find(({ table }) => table === 'template_texts')?.rows).toBe(2)
    await inPostgres(place.schema, async ({ templated }) => {
      expect(await templated.shared?.all()).toEqual({
        ok: true,
        value: new Map([...templates].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      })
    })
  })

  it('makes conversations and facts somebody’s own where their owner is named', async () => {
    const place = newPlace()
    value(await moveLedger(file, place, { owner: { id: 'u1', name: 'Ada' } }))
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

  it('says what would move with check, and changes nothing', async () => {
    const place = newPlace()
    const told = value(await moveLedger(file, place, { check: true }))
    expect(told.tables.find(({ table }) => table === 'conversations')?.rows).toBe(3)
    expect([await isThere(place.schema), await isThere(movingOf(place.schema))]).toEqual([false, false])
  })

  it('takes a space that was made and is empty, and refuses one that has anything', async () => {
    const place = newPlace()
    await inPostgres(place.schema, async (ledger) => value(await ledger.append([], { bus: 'of a hub' })))
    value(await moveLedger(file, place))
    expect(await moveLedger(file, place)).toMatchObject({ ok: false, code: 'invalid' })
    const other = newPlace()
    await inPostgres(other.schema, async ({ conversations }) =>
      value(await conversations.remember({ id: 'f', ts: 1, text: 'Only a fact.' })),
    )
    const refused = await moveLedger(file, other, { check: true })
    expect(refused).toMatchObject({ ok: false, code: 'invalid' })
    expect(!refused.ok && refused.message).toContain('has data already')
  })

  it('refuses a ledger that is in use, and says so', async () => {
    await inSqlite(async () => {
      expect(await moveLedger(file, newPlace())).toMatchObject({ ok: false, code: 'locked' })
    })
    expect(await moveLedger(join(folder, 'no.db'), newPlace())).toMatchObject({ code: 'not_found' })
  })

  it('leaves nothing when it is stopped in any stage, and then moves all of it', async () => {
    const place = newPlace()
    for (const [stage, at] of [
      ['copy', 0.7],
      ['fold', 0.1],
      ['compare', 0.5],
    ] as const) {
      const stop = new AbortController()
      let now = ''
      const stopped = await moveLedger(file, place, {
        signal: stop.signal,
        onStage: (begun) => {
          now = begun
        },
        onProgress: (done, total) => {
          if (now === stage && done >= total * at) stop.abort()
        },
      })
      expect(stopped, stage).toMatchObject({ ok: false, code: 'stopped' })
      expect([await isThere(place.schema), await isThere(movingOf(place.schema))]).toEqual([false, false])
    }
    value(await moveLedger(file, place))
    const counters = await inPostgres(place.schema, async (ledger) => value(await ledger.counters()))
    expect(counters).toEqual(before.counters)
  })

  it('refuses a file whose projections are not what its log amounts to', async () => {
    const copy = join(folder, 'spoiled.db')
    await inSqlite(async (ledger) => value(await ledger.backup(copy)))
    const db = new DatabaseSync(copy)
    db.exec(`UPDATE projection_rows SET doc = replace(doc, '"events":', '"event5":') WHERE name = 'counters'`)
    db.close()
    const place = newPlace()
    const refused = await moveLedger(copy, place)
    expect(refused).toMatchObject({ ok: false, code: 'corrupt' })
    expect(!refused.ok && refused.message).toContain('panoptes rebuild')
    expect(await isThere(place.schema)).toBe(false)
  })
})

/** In texts that are not JSON a NUL becomes a sign that one was there: PostgreSQL keeps none. */
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

import { randomUUID } from 'node:crypto'
import { success } from '@panoptes/schema/result'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SECRET_KINDS } from '../../redact/secrets.test-kit.ts'
import { event } from '../conformance/event-kit.ts'
import { value } from '../conformance/lab.ts'
import type { EventStore } from '../port.ts'
import { type OwnDatabase, ownDatabase } from '../team/postgres/database.test-kit.ts'
import { openPostgresStore } from './postgres-store.ts'

const SECRET = 'a-name-that-nobody-knows'
/**
 * The test has a database of its own, because the server keeps removed rows while any transaction in the same
 * database may see them.
 */
let database: OwnDatabase
let schema = ''
let client: Client
let store: EventStore

beforeAll(async () => {
  database = await ownDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  const { url } = database
  schema = `scrub_${randomUUID().replaceAll('-', '')}`
  client = new Client({ connectionString: url })
  await client.connect()
  store = value(await openPostgresStore({ url, schema, partition: 10 }))
  await client.query(`SET search_path = ${schema}`)
})
afterEach(async () => {
  await store.close()
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

/** Returns the file of each table. A rewritten table gets a new file. */
async function files(): Promise<Record<string, string>> {
  const { rows } = await client.query(
    `SELECT relname, pg_relation_filepath(oid) AS path FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`,
  )
  return Object.fromEntries(rows.map(({ relname, path }) => [String(relname), String(path)]))
}

async function tablesWith(text: string): Promise<string[]> {
  await client.query('CHECKPOINT')
  const found: string[] = []
  for (const [name, path] of Object.entries(await files())) {
    const { rows } = await client.query('SELECT pg_read_binary_file($1) AS bytes', [path])
    if ((rows[0].bytes as Buffer).includes(text)) found.push(name)
  }
  return found.toSorted()
}

const GONE = [{ source: 'custom', id: SECRET }]

/** Stores thirty-five events. The forgotten ones are all in the second partition of the log. */
async function fill(): Promise<void> {
  const of = (n: number) => (n >= 11 && n < 15 ? { session_id: SECRET, text: SECRET } : { session_id: 's' })
  for (let n = 0; n < 35; n += 5)
    value(await store.append([0, 1, 2, 3, 4].map((m) => event(n + m, of(n + m)))))
}

async function forget(): Promise<string[]> {
  const before = await files()
  value(await store.forgetting.begin(GONE))
  value(await store.forgetting.remove(GONE))
  const after = await files()
  value(await store.forgetting.end(GONE))
  return Object.keys(after).filter((name) => before[name] !== after[name])
}

/** Resolves once the store looks again and again whether somebody can still see what it removes. */
const isWaiting = () =>
  expect
    .poll(async () => {
      const { rowCount } = await client.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND query LIKE 'SELECT EXISTS (SELECT FROM pg_stat_activity%'`,
      )
      return rowCount
    })
    .toBeGreaterThan(0)

function traces({ traces: lines }: EventStore) {
  if (lines === null) throw new Error('there are no traces')
  return lines
}

function texts({ templateUses: { shared } }: EventStore) {
  if (shared === undefined) throw new Error('there are no texts')
  return shared
}

describe('forgetting in PostgreSQL', () => {
  it('rewrites only tables that contained something of the session, and leaves no trace', async () => {
    await fill()
    expect(await tablesWith(SECRET)).toEqual(expect.arrayContaining(['events_p1', 'projection_rows']))
    const written = await forget()
    expect(written).toEqual(expect.arrayContaining(['event_keys', 'events_p1', 'projection_rows']))
    expect(written.filter((name) => /^events_p[023]|^conversations|^marks|^accounts/.test(name))).toEqual([])
    expect(await tablesWith(SECRET)).toEqual([])
    expect(value(await store.rebuild({ check: true })).differences).toBe(0)
  })

  it('leaves no trace even while somebody reads something else', async () => {
    await fill()
    const looking = new Client({ connectionString: database.url })
    await looking.connect()
    await looking.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await looking.query('SELECT count(*) FROM pg_class')
    const forgot = forget()
    await isWaiting()
    await looking.end()
    await forgot
    expect(await tablesWith(SECRET)).toEqual([])
  })

  it('leaves no trace even while somebody writes in another database of the server', async () => {
    await fill()
    const elsewhere = await ownDatabase()
    const writing = new Client({ connectionString: elsewhere.url })
    await writing.connect()
    await writing.query('BEGIN')
    await writing.query('CREATE TABLE written_elsewhere ()')
    const forgot = forget()
    await isWaiting()
    await writing.end()
    await elsewhere.drop()
    await forgot
    expect(await tablesWith(SECRET)).toEqual([])
  })

  it('leaves no trace of rows removed earlier from shared tables, even by another process', async () => {
    await fill()
    const text = (name: string) => `${name} ${SECRET}`
    const bounds = { ofSession: 1_000_000, ofAll: 1_000_000 }
    value(await traces(store).put({ session: SECRET, turn: 't', json: text('line') }, bounds))
    value(await texts(store).change(async (all) => success(all.set('one.json', text('template')))))
    const found = async () =>
      (await tablesWith(SECRET)).filter((name) => /^(template_texts|trace_lines)$/.test(name))
    expect(await found()).toEqual(['template_texts', 'trace_lines'])
    const other = value(await openPostgresStore({ url: database.url, schema }))
    value(await traces(other).forget([SECRET]))
    value(await texts(other).change(async (all) => success(all.delete('one.json'))))
    await other.close()
    await forget()
    expect(await found()).toEqual([])
  })

  it('rewrites every table when a process that died may have changed it', async () => {
    await fill()
    await client.query(`INSERT INTO marks VALUES ('scrub', '')`)
    expect(await forget()).toEqual(
      expect.arrayContaining(['events_p0', 'events_p1', 'events_p2', 'events_p3']),
    )
    expect((await client.query('SELECT FROM marks')).rowCount).toBe(0)
    await fill()
    expect(await forget()).not.toContain('events_p0')
  })
})

describe('redacting stored secrets in PostgreSQL', () => {
  const secret = SECRET_KINDS.github?.() ?? ''

  /** Fills seven partitions, of which only one contains a secret. The port stores events as they come. */
  async function fillWithSecret(): Promise<void> {
    for (let n = 0; n < 70; n += 10)
      value(
        await store.append(
          Array.from({ length: 10 }, (_, m) => event(n + m, n + m === 15 ? { text: secret } : {})),
        ),
      )
    const made = event(70, { event: 'session_start', title: secret })
    value(await store.append([made]))
  }

  it('rewrites only tables that contained a secret, and leaves no byte of it', async () => {
    await fillWithSecret()
    expect(await tablesWith(secret)).toEqual(['events_p1', 'events_p7', 'projection_rows'])
    const before = await files()
    expect(value(await store.redactStored())).toBe(2)
    const after = await files()
    const written = Object.keys(after).filter((name) => before[name] !== after[name])
    expect(written).toEqual(expect.arrayContaining(['events_p1', 'events_p7', 'projection_rows']))
    expect(
      written.filter((name) => /^events_p[02-6]|^event_keys|^accounts|^conversations/.test(name)),
    ).toEqual([])
    expect(await tablesWith(secret)).toEqual([])
  })

  it('leaves no byte of a secret when another process resumes the work', async () => {
    await fillWithSecret()
    const stop = new AbortController()
    const stopped = await store.redactStored({ signal: stop.signal, onProgress: () => stop.abort() })
    expect(stopped).toMatchObject({ ok: false, code: 'stopped' })
    const other = value(await openPostgresStore({ url: database.url, schema }))
    expect(value(await other.redactStored())).toBe(2)
    await other.close()
    expect(await tablesWith(secret)).toEqual([])
    expect(value(await store.redactStored())).toBe(0)
  })
})

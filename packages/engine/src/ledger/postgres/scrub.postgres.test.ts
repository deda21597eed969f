import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { success } from '@panoptes/schema/result'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { event } from '../conformance/kit.ts'
import { value } from '../conformance/lab.ts'
import type { Ledger } from '../port.ts'
import { type OwnDatabase, ownDatabase } from '../team/postgres/database.test-kit.ts'
import { openPostgresLedger } from './ledger.ts'

const SECRET = 'a-name-that-nobody-knows'
/** Of its own: the server keeps removed rows for as long as a transaction of anybody in the same database may see them. */
let database: OwnDatabase
let schema = ''
let client: Client
let ledger: Ledger

beforeAll(async () => {
  database = await ownDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  const { url } = database
  schema = `scrub_${randomUUID().replaceAll('-', '')}`
  client = new Client({ connectionString: url })
  await client.connect()
  ledger = value(await openPostgresLedger({ url, schema, partition: 10 }))
  await client.query(`SET search_path = ${schema}`)
})
afterEach(async () => {
  await ledger.close()
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

/** Which file each table is in: one that is written anew gets another. */
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

/** Thirty-five events, of which the forgotten ones are all in the second table of the log. */
async function fill(): Promise<void> {
  const of = (n: number) => (n >= 11 && n < 15 ? { session_id: SECRET, text: SECRET } : { session_id: 's' })
  for (let n = 0; n < 35; n += 5)
    value(await ledger.append([0, 1, 2, 3, 4].map((m) => event(n + m, of(n + m)))))
}

async function forget(): Promise<string[]> {
  const before = await files()
  value(await ledger.forgetting.begin(GONE))
  value(await ledger.forgetting.remove(GONE))
  const after = await files()
  value(await ledger.forgetting.end(GONE))
  return Object.keys(after).filter((name) => before[name] !== after[name])
}

function traces({ traces: kept }: Ledger) {
  if (kept === null) throw new Error('there are no traces')
  return kept
}

function texts({ templated: { shared } }: Ledger) {
  if (shared === undefined) throw new Error('there are no texts')
  return shared
}

describe('forgetting', () => {
  it('writes only those tables anew that had something of it, and leaves no trace', async () => {
    await fill()
    expect(await tablesWith(SECRET)).toEqual(expect.arrayContaining(['events_p1', 'projection_rows']))
    const written = await forget()
    expect(written).toEqual(expect.arrayContaining(['event_keys', 'events_p1', 'projection_rows']))
    expect(written.filter((name) => /^events_p[023]|^conversations|^marks|^accounts/.test(name))).toEqual([])
    expect(await tablesWith(SECRET)).toEqual([])
    expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
  })

  it('leaves no trace either where somebody just looks at something else', async () => {
    await fill()
    const looking = new Client({ connectionString: database.url })
    await looking.connect()
    await looking.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await looking.query('SELECT count(*) FROM pg_class')
    const forgot = forget()
    await setTimeout(1_000)
    await looking.end()
    await forgot
    expect(await tablesWith(SECRET)).toEqual([])
  })

  it('leaves no trace of what was taken out of shared tables before, also by another process', async () => {
    await fill()
    const text = (name: string) => `${name} ${SECRET}`
    const bounds = { ofSession: 1_000_000, ofAll: 1_000_000 }
    value(await traces(ledger).put({ session: SECRET, turn: 't', json: text('line') }, bounds))
    value(await texts(ledger).change(async (all) => success(all.set('one.json', text('template')))))
    const found = async () =>
      (await tablesWith(SECRET)).filter((name) => /^(template_texts|trace_lines)$/.test(name))
    expect(await found()).toEqual(['template_texts', 'trace_lines'])
    const other = value(await openPostgresLedger({ url: database.url, schema }))
    value(await traces(other).forget([SECRET]))
    value(await texts(other).change(async (all) => success(all.delete('one.json'))))
    await other.close()
    await forget()
    expect(await found()).toEqual([])
  })

  it('writes every table anew where one that died may have changed it', async () => {
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

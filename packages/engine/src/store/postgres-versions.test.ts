import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { generateNewEvents } from '@panoptes/engine/demo'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import { day, readAll } from './conformance/event-kit.ts'
import { value } from './conformance/lab.ts'
import { openDatabase } from './postgres/database.ts'
import { migrate, migrations } from './postgres/migrations.ts'
import { openPostgresStore } from './postgres/postgres-store.ts'
import { rowsAreStale } from './postgres/projection-versions.ts'
import { projections } from './projections/index.ts'

const url = usePostgres()
const CHILD = fileURLToPath(new URL('./postgres-crash.child.ts', import.meta.url))
let schema = ''

beforeEach(() => {
  schema = `versions_${randomUUID().replaceAll('-', '')}`
})

afterEach(async () => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await client.end()
})

/**
 * Changes that a later version might make: to the log itself, to data that every append reads, and beside it.
 */
const LATER = [
  ...migrations,
  `ALTER TABLE events ADD COLUMN colour text;
   ALTER TABLE projection_rows ADD COLUMN colour text NOT NULL DEFAULT 'none';
   CREATE INDEX events_colour ON events (colour) WHERE colour IS NOT NULL;`,
  `CREATE TABLE colours (name text PRIMARY KEY);
   ALTER TABLE head ADD COLUMN colours bigint NOT NULL DEFAULT 0;
   ALTER TABLE conversations ADD COLUMN colour text;`,
]

async function newer(): Promise<number> {
  const database = openDatabase(url, schema)
  try {
    return await migrate(database, { list: LATER })
  } finally {
    await database.close()
  }
}

describe('programs of two versions', () => {
  it('share a store: the newer one migrates it while older ones write and follow without loss', async () => {
    const COUNT = 3_000
    value(await openPostgresStore({ url, schema, partition: 2_500 })).close()
    const run = (...args: readonly (string | number)[]) => {
      const child = spawn(process.execPath, [CHILD, ...args.map(String)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
      return { said: () => output, ended: once(child, 'close') }
    }
    const writers = [0, 1].map((share) => run('write', url, schema, 5, COUNT, 2, share))
    const follower = run('follow', url, schema, COUNT)
    await expect
      .poll(() => writers.every(({ said }) => said().includes('acknowledged')), { timeout: 30_000 })
      .toBe(true)
    expect(await newer()).toBe(LATER.length)
    for (const { ended } of [...writers, follower]) expect((await ended)[0]).toBe(0)
    const seqs = follower
      .said()
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => (JSON.parse(line) as { readonly seqs: readonly number[] }).seqs)
    expect(seqs).toEqual(Array.from({ length: COUNT }, (_, n) => n + 1))

    const again = value(await openPostgresStore({ url, schema }))
    expect(value(await again.info()).schemaVersion).toBe(LATER.length)
    const keys = (await readAll(again)).map(({ json }) => (JSON.parse(json) as { readonly key: string }).key)
    expect(keys.toSorted()).toEqual(
      [...generateNewEvents({ seed: 5, events: COUNT })].map(({ key }) => key).toSorted(),
    )
    expect(value(await again.rebuild({ check: true })).differences).toBe(0)
    expect(value(await again.append(day(6, 10))).accepted).toBe(10)
    await again.close()
  })

  it('start at once, and one of them migrates', async () => {
    const [older, version] = await Promise.all([openPostgresStore({ url, schema }), newer()])
    expect(version).toBe(LATER.length)
    expect(value(await value(older).append(day(7, 10))).accepted).toBe(10)
    await value(older).close()
  })
})

describe('projections of two versions', () => {
  it('are rebuilt by the newer program after an older one continued them', async () => {
    const database = openDatabase(url, schema)
    const older = value(await openPostgresStore({ url, schema }))
    value(await older.append(day(8, 10)))
    const list = projections.map(({ name, version }) => ({ name, version: version + 1 }))
    const isStale = () => rowsAreStale(database, list)
    expect(await isStale()).toBe(true)
    const rebuilt = () =>
      database.run('UPDATE projection_versions SET version = version + 1; UPDATE head SET turn = turn + 1')
    await rebuilt()
    expect(await isStale()).toBe(false)
    value(await older.append([], { mark: 'that changes no row' }))
    expect(await isStale()).toBe(false)
    value(await older.append(day(9, 10)))
    expect(await isStale()).toBe(true)
    await rebuilt()
    expect(await isStale()).toBe(false)
    value(await older.append(day(10, 10)))
    expect(await isStale()).toBe(true)
    expect(await rowsAreStale(database)).toBe(false)
    await older.close()
    await database.close()
  })

  it('are rebuilt when only the newer program has one of them', async () => {
    const database = openDatabase(url, schema)
    const older = value(await openPostgresStore({ url, schema }))
    value(await older.append(day(8, 10)))
    const isStale = () => rowsAreStale(database, [...projections, { name: 'newer', version: 1 }])
    const rebuilt = () =>
      database.run(`INSERT INTO projection_versions VALUES ('newer', 1); UPDATE head SET turn = turn + 1`)
    await rebuilt()
    expect(await isStale()).toBe(false)
    value(await older.append(day(9, 10)))
    expect(await isStale()).toBe(true)
    await rebuilt()
    expect(await isStale()).toBe(false)
    value(await older.rebuild({ check: false }))
    expect(await isStale()).toBe(true)
    await older.close()
    await database.close()
  })
})

describe('migration', () => {
  it('only adds tables and columns that older programs can work with', () => {
    const [, ...later] = migrations
    for (const text of later) {
      expect(text).not.toMatch(/\bDROP\b|\bRENAME\b|\bTRUNCATE\b|ALTER COLUMN/i)
      for (const [, column = ''] of text.matchAll(/ADD COLUMN ([^;,]*)/gi))
        expect(column).not.toMatch(/NOT NULL(?!.*DEFAULT)/i)
    }
  })
})

import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { event } from '../conformance/event-kit.ts'
import { value } from '../conformance/lab.ts'
import { openPostgresStore } from './postgres-store.ts'

const url = usePostgres()

it('appends while readers use every connection of their pool', async () => {
  const schema = `held_${randomUUID().replaceAll('-', '')}`
  const store = value(await openPostgresStore({ url, schema }))
  const other = new Client({ connectionString: url })
  await other.connect()
  try {
    value(await store.append([event(0)]))
    await other.query(`BEGIN; LOCK TABLE ${schema}.turns IN ACCESS EXCLUSIVE MODE`)
    const reads = Array.from({ length: 20 }, () => store.turns.list({ limit: 1 }))
    await expect.poll(() => store.load().pool?.waiting).toBeGreaterThan(10)
    const began = performance.now()
    expect(value(await store.append([event(1)])).last).toBe(2)
    expect(performance.now() - began).toBeLessThan(15_000)
    await other.query('COMMIT')
    for (const each of await Promise.all(reads)) expect(value(each).rows).toEqual([])
    expect(store.load().pool?.open).toBeLessThanOrEqual(8)
  } finally {
    await other.query('ROLLBACK')
    await store.close()
    await other.query(`DROP SCHEMA ${schema} CASCADE`)
    await other.end()
  }
})

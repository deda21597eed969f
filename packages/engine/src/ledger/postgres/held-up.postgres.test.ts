import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { event } from '../conformance/kit.ts'
import { value } from '../conformance/lab.ts'
import { openPostgresLedger } from './ledger.ts'

const url = inject('postgres')

it('appends while whoever reads has every connection that readers may have', async () => {
  const schema = `held_${randomUUID().replaceAll('-', '')}`
  const ledger = value(await openPostgresLedger({ url, schema }))
  const other = new Client({ connectionString: url })
  await other.connect()
  try {
    value(await ledger.append([event(0)]))
    await other.query(`BEGIN; LOCK TABLE ${schema}.turns IN ACCESS EXCLUSIVE MODE`)
    const asked = Array.from({ length: 20 }, () => ledger.turns.list({ limit: 1 }))
    await expect.poll(() => ledger.load().pool?.waiting).toBeGreaterThan(10)
    const began = performance.now()
    expect(value(await ledger.append([event(1)])).last).toBe(2)
    expect(performance.now() - began).toBeLessThan(15_000)
    await other.query('COMMIT')
    for (const each of await Promise.all(asked)) expect(value(each).rows).toEqual([])
    expect(ledger.load().pool?.open).toBeLessThanOrEqual(8)
  } finally {
    await other.query('ROLLBACK')
    await ledger.close()
    await other.query(`DROP SCHEMA ${schema} CASCADE`)
    await other.end()
  }
})

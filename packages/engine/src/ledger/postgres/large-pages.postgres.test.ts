import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { value } from '../conformance/lab.ts'
import type { Ledger } from '../port.ts'
import { openPostgresLedger } from './ledger.ts'

const url = inject('postgres')
const schema = `large_${randomUUID().replaceAll('-', '')}`
let ledger: Ledger

beforeAll(async () => {
  ledger = value(await openPostgresLedger({ url, schema }))
})
afterAll(async () => {
  await ledger.close()
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

it('gives whoever follows large events pages of few of them, and none is missing', async () => {
  const text = 'x'.repeat(200_000)
  const events = Array.from({ length: 60 }, (_, n) => ({
    v: 1 as const,
    key: `k${n}`,
    ts: n,
    event: 'prompt' as const,
    source: 'custom' as const,
    host: 'studio',
    session_id: 's',
    text,
  }))
  value(await ledger.append(events))
  const late = value(await openPostgresLedger({ url, schema }))
  const end = new AbortController()
  const pages: number[] = []
  const seqs: number[] = []
  for await (const rows of late.subscribe(0, end.signal)) {
    pages.push(rows.reduce((sum, { json }) => sum + json.length, 0))
    seqs.push(...rows.map(({ seq }) => seq))
    if (seqs.length >= 60) end.abort()
  }
  expect(seqs).toEqual(events.map((_, n) => n + 1))
  expect(Math.max(...pages)).toBeLessThan(4_500_000)
  await late.close()
})

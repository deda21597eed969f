import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { openPostgresLedger } from '../ledger/postgres/ledger.ts'
import { standbyOf } from '../ledger/postgres/standby.test-kit.ts'
import { tempFolder, value } from './review.test-kit.ts'
import { event, homeIn } from './review-home.test-kit.ts'

const url = inject('postgres')

it('reads sessions that got the numbers of events which a standby lacks', async () => {
  const schema = `review_${randomUUID().replaceAll('-', '')}`
  onTestFinished(async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(`DROP SCHEMA ${schema} CASCADE`)
    await client.end()
  })
  const [ledger, other] = [
    value(await openPostgresLedger({ url, schema })),
    value(await openPostgresLedger({ url, schema })),
  ]
  onTestFinished(async () => void (await Promise.all([ledger.close(), other.close()])))
  const isRead = async (id: string) =>
    value(await ledger.accounts.get({ source: 'claude-code', id })) !== null
  value(await other.append([event('a', 'prompt'), event('b', 'prompt')]))
  const review = await homeIn(tempFolder()).open(ledger)
  review.follow()
  await expect.poll(() => isRead('b')).toBe(true)
  const standby = await standbyOf(url, schema)
  for (const id of ['c', 'd', 'e']) value(await other.append([event(id, 'prompt')]))
  await expect.poll(() => isRead('e')).toBe(true)
  await standby.takeOver(async () => {
    value(await other.append([event('f', 'prompt'), event('g', 'prompt')]))
  })
  await standby.close()
  await expect.poll(() => isRead('g')).toBe(true)
  expect(await isRead('f')).toBe(true)
})

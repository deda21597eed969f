import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import { openPostgresStore } from '../store/postgres/postgres-store.ts'
import { standbyOf } from '../store/postgres/standby.test-kit.ts'
import { tempFolder, value } from './outcomes.test-kit.ts'
import { event, homeIn } from './outcomes-home.test-kit.ts'

const url = usePostgres()

it('reads sessions whose events reuse numbers that a failover lost', async () => {
  const schema = `review_${randomUUID().replaceAll('-', '')}`
  onTestFinished(async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(`DROP SCHEMA ${schema} CASCADE`)
    await client.end()
  })
  const [store, other] = [
    value(await openPostgresStore({ url, schema })),
    value(await openPostgresStore({ url, schema })),
  ]
  onTestFinished(async () => void (await Promise.all([store.close(), other.close()])))
  const isRead = async (id: string) => value(await store.accounts.get({ source: 'claude-code', id })) !== null
  value(await other.append([event('a', 'prompt'), event('b', 'prompt')]))
  const review = await homeIn(tempFolder()).open(store)
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

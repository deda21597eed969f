import { pause } from '@panoptes/engine/abortable'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { value } from '../conformance/lab.ts'
import type { EventStore } from '../port.ts'
import type { Team } from '../team/port.ts'
import { type OwnDatabase, ownDatabase } from '../team/postgres/database.test-kit.ts'
import { openTeam } from '../team/postgres/team.ts'
import { openPostgresStore } from './postgres-store.ts'

const server = new Client({ connectionString: usePostgres() })
let database: OwnDatabase
let name = ''
let store: EventStore
let team: Team

beforeAll(async () => {
  await server.connect()
  database = await ownDatabase()
  name = new URL(database.url).pathname.slice(1)
  store = value(await openPostgresStore({ url: database.url, schema: 'space_main' }))
  team = value(await openTeam({ url: database.url }))
})
afterAll(async () => {
  await Promise.all([store.close(), team.close()])
  await database.drop()
  await server.end()
})

const append = async () => {
  const appended = await store.append([
    { v: 1, key: 'a', ts: 1, event: 'prompt', source: 'custom', host: 'studio', session_id: 's' },
  ])
  return appended.ok || appended.code
}
const ping = async () => {
  const answered = await team.ping()
  return answered.ok || answered.code
}

/** New connections reach a server that only reads, as when a lost primary comes back as a standby. */
async function readOnly(): Promise<void> {
  await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
}
const writable = () => server.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`)

describe('server that stops accepting writes', () => {
  it('is replaced by one that accepts them, and the store is meanwhile neither ready nor a leader', async () => {
    const end = new AbortController()
    onTestFinished(() => end.abort())
    let leads = false
    const leading = store.lead(
      'judge',
      (signal) => {
        leads = true
        return new Promise((done) =>
          signal.addEventListener('abort', () => {
            leads = false
            done()
          }),
        )
      },
      end.signal,
    )
    await expect.poll(() => leads).toBe(true)
    expect([await append(), await ping()]).toEqual([true, true])
    await readOnly()
    await expect.poll(append).toBe('read_only')
    await expect.poll(ping).toBe('read_only')
    await expect.poll(() => leads).toBe(false)
    // This is longer than it takes to reconnect.
    await pause(1_500)
    expect(leads).toBe(false)
    await writable()
    await expect.poll(append).toBe(true)
    // Connections of readers are replaced too, at the latest after a rejected write.
    await expect.poll(async () => (await store.forgetting.end([])).ok).toBe(true)
    await expect.poll(ping).toBe(true)
    await expect.poll(() => leads).toBe(true)
    end.abort()
    await leading
  })
})

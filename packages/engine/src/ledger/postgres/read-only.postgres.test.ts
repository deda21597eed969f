import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { value } from '../conformance/lab.ts'
import type { Ledger } from '../port.ts'
import type { Team } from '../team/port.ts'
import { type OwnDatabase, ownDatabase } from '../team/postgres/database.test-kit.ts'
import { openTeam } from '../team/postgres/team.ts'
import { openPostgresLedger } from './ledger.ts'

const server = new Client({ connectionString: inject('postgres') })
let database: OwnDatabase
let name = ''
let ledger: Ledger
let team: Team

beforeAll(async () => {
  await server.connect()
  database = await ownDatabase()
  name = new URL(database.url).pathname.slice(1)
  ledger = value(await openPostgresLedger({ url: database.url, schema: 'space_main' }))
  team = value(await openTeam({ url: database.url }))
})
afterAll(async () => {
  await Promise.all([ledger.close(), team.close()])
  await database.drop()
  await server.end()
})

const append = async () => {
  const appended = await ledger.append([
    { v: 1, key: 'a', ts: 1, event: 'prompt', source: 'custom', host: 'studio', session_id: 's' },
  ])
  return appended.ok || appended.code
}
const ping = async () => {
  const answered = await team.ping()
  return answered.ok || answered.code
}

/** Whoever connects now finds a server that only reads, as after one that was lost came back as a standby. */
async function readOnly(): Promise<void> {
  await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
}
const writable = () => server.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`)

describe('a server that takes no writes any more', () => {
  it('is left for the one that does, and is neither ready nor led on meanwhile', async () => {
    const end = new AbortController()
    onTestFinished(() => end.abort())
    let leads = false
    const leading = ledger.lead(
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
    // Longer than it takes to connect anew.
    await new Promise((wait) => setTimeout(wait, 1_500))
    expect(leads).toBe(false)
    await writable()
    await expect.poll(append).toBe(true)
    // Those of readers go too, at the latest with what they were refused.
    await expect.poll(async () => (await ledger.forgetting.end([])).ok).toBe(true)
    await expect.poll(ping).toBe(true)
    await expect.poll(() => leads).toBe(true)
    end.abort()
    await leading
  })
})

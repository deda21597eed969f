import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createHome, resolvePaths } from '@panoptes/engine/home'
import { newDatabase } from '@panoptes/engine/testing/transcripts'
import { config, type PastSession } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import { type Panoptes, startPanoptes } from './start.ts'

const RECORDED = resolve(import.meta.dirname, '../../../../fixtures/claude-code/transcripts')
const RECORDED_SESSIONS = 4
const ID = '290c6983-b1d2-452e-90b9-d7d4909083e0'
const ASKED = { type: 'user', uuid: 'late', message: { role: 'user', content: 'and the zyzzogeton?' } }

const postgres = usePostgres()
let home = ''
let database: Awaited<ReturnType<typeof newDatabase>>
let hub: Panoptes

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-hub-sessions-'))
  cpSync(RECORDED, join(home, '.claude', 'projects'), { recursive: true })
  database = await newDatabase(postgres)
  const paths = resolvePaths({ PANOPTES_HOME: join(home, 'kept') })
  await createHome(paths)
  hub = await startPanoptes({
    paths,
    env: { HOME: home },
    config: config.parse({ log: { level: 'silent' } }),
    place: { kind: 'postgres', url: database.url, space: 'main' },
    host: '127.0.0.1',
    port: 0,
    allowRemote: false,
    page: Promise.resolve({ folder: null, problem: null }),
    onStop: () => undefined,
  })
})
afterEach(async () => {
  await hub.close()
  await database.drop()
  rmSync(home, { recursive: true, force: true })
})

async function ask<T>(path: string): Promise<T> {
  const token = readFileSync(join(home, 'kept', 'tokens', 'full'), 'utf8').trim()
  const reply = await fetch(`${hub.server.address}${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`)
  return (await reply.json()) as T
}

it('keeps the sessions of its own computer and their later messages', async () => {
  const listed = () => ask<readonly PastSession[]>('/api/past/sessions?limit=200')
  await vi.waitFor(async () => expect(await listed()).toHaveLength(RECORDED_SESSIONS), {
    timeout: 60_000,
    interval: 500,
  })
  const one = (await listed()).find(({ id }) => id === ID)
  expect(one?.place).toBe(`hub:${hostname()}#${ID}`)
  const line = { ...ASKED, sessionId: ID, timestamp: new Date().toISOString() }
  appendFileSync(
    join(home, '.claude', 'projects', '-home-dev-notes', `${ID}.jsonl`),
    `${JSON.stringify(line)}\n`,
  )
  await vi.waitFor(
    async () => {
      const again = (await listed()).find(({ id }) => id === ID)
      expect(again?.messages).toBe((one?.messages ?? 0) + 1)
    },
    { timeout: 60_000, interval: 500 },
  )
}, 150_000)

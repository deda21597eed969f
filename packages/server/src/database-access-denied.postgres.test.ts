import { randomUUID } from 'node:crypto'
import { openTranscripts, type Transcripts } from '@panoptes/engine/store'
import { telling } from '@panoptes/engine/testing/transcripts'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { usePostgres } from '../../../e2e/setup/shared-servers.ts'
import { startTestHub, type TestHub } from './hub.test-kit.ts'
import { many, unwrap } from './server.test-kit.ts'

const name = `denied_${randomUUID().replaceAll('-', '')}`
const postgres = usePostgres()
const server = new Client({ connectionString: postgres })
const url = Object.assign(new URL(postgres), { pathname: `/${name}` })
const owner = new Client({ connectionString: url.href })
let kit: TestHub
let transcripts: Transcripts

beforeAll(async () => {
  await server.connect()
  await server.query(`CREATE DATABASE ${name}`)
  await server.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'; GRANT ALL ON DATABASE ${name} TO ${name}`)
  await owner.connect()
  const own = Object.assign(new URL(url), { username: name, password: name }).href
  kit = await startTestHub(
    {
      spaces: ['main'],
      site: async () => {
        transcripts = unwrap(await openTranscripts({ url: own, schema: 'space_main' }))
        return { transcripts }
      },
    },
    { url: own, ask: async () => [], drop: async () => undefined },
  )
})
afterAll(async () => {
  await kit.stop()
  await transcripts.close()
  await owner.end()
  await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await server.query(`DROP ROLE ${name}`)
  await server.end()
})

const send = async (path: string, lines: readonly object[]): Promise<number> => {
  const token = await kit.ownToken('ingest')
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return (await kit.request(path, token, { method: 'POST', body })).status
}
const sendBoth = () =>
  Promise.all([send('/events', many(3)), send('/api/transcripts?host=mast', telling('a', ['hello']))])

const TABLES = 'space_main.event_keys, space_main.transcript_tellings'

it('makes clients retry while a hub lacks database rights or cannot connect, and drops nothing', async () => {
  await owner.query(`REVOKE ALL ON ${TABLES} FROM ${name}`)
  expect(await sendBoth()).toEqual([503, 503])
  await owner.query(`GRANT ALL ON ${TABLES} TO ${name}`)
  await server.query(`ALTER ROLE ${name} NOLOGIN`)
  await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [name])
  expect(await sendBoth()).toEqual([503, 503])
  await server.query(`ALTER ROLE ${name} LOGIN`)
  await expect.poll(sendBoth).toEqual([200, 200])
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type NatsServer, startNats } from '../../../../e2e/setup/nats-server.ts'
import { usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import {
  dropSpace,
  type Hub,
  newSpace,
  numbersByHost,
  openHub,
  publisherEvent,
  tell,
} from './bus.test-kit.ts'

const postgres = usePostgres()
let folder = ''
let config = ''
let nats: NatsServer
const spaces: string[] = []
const hubs: Hub[] = []

const open = async (): Promise<Hub> => {
  const space = newSpace()
  spaces.push(space)
  const hub = await openHub({ url: nats.url, postgres, space })
  hubs.push(hub)
  return hub
}
/** The server reloads its configuration file. */
const set = async (text: string): Promise<void> => {
  writeFileSync(config, text)
  await nats.kill()
  await nats.start()
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-denied-'))
  config = join(folder, 'nats.conf')
  writeFileSync(config, '')
  nats = await startNats(['-c', config])
})
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.close()
  for (const space of spaces.splice(0)) await dropSpace(postgres, space)
})
afterAll(async () => {
  await nats?.stop()
  rmSync(folder, { recursive: true })
})

it('denies only the caller whose event exceeds the limit of the server, and stores the others', async () => {
  await set('max_payload: 16384')
  const hub = await open()
  await tell('a', 1, [hub.bus])
  const noise = Array.from({ length: 40_000 }, () =>
    String.fromCharCode(0x4e00 + Math.random() * 20_000),
  ).join('')
  const answers = await Promise.all([
    // This batch is under way alone while the others are merged.
    hub.bus.publish([publisherEvent('b', 0)]),
    hub.bus.publish([publisherEvent('c', 0)]),
    hub.bus.publish([publisherEvent('d', 0, { text: noise })]),
    hub.bus.publish([publisherEvent('e', 0)]),
  ])
  expect(answers.map((answer) => answer.ok || answer.code)).toEqual([true, true, 'denied', true])
  await expect.poll(() => numbersByHost(hub.rows)).toEqual({ a: [0], b: [0], c: [0], e: [0] })
})

import { setTimeout } from 'node:timers/promises'
import { generateNewEvents } from '@panoptes/engine/demo'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { runCommand } from './command.ts'
import type { Daemon } from './daemon.ts'
import { type PostgresServer, startPostgres } from './setup/postgres-server.ts'
import { type Member, makeMember } from './team/member.ts'
import { watchScreen } from './team/stream-watcher.ts'

const EVENTS = 4_000
const AT_ONCE = 50

const placeOf = ({ url }: PostgresServer): string => new URL(url).host

async function ask<T>({ url }: PostgresServer, sql: string): Promise<T | undefined> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows[0] as T | undefined
  } finally {
    await client.end()
  }
}

/** A primary whose commits wait for the standby, so that acknowledged data survives the loss of either. */
async function startPair(): Promise<readonly [PostgresServer, PostgresServer]> {
  const primary = await startPostgres()
  onTestFinished(() => primary.stop())
  const standby = await startPostgres({ standbyOf: primary.url })
  onTestFinished(() => standby.stop())
  await ask(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await ask(primary, 'SELECT pg_reload_conf()')
  return [primary, standby]
}

async function startHub(name: string, store: string): Promise<Member> {
  const hub = await makeMember(name, ['--ledger', store])
  onTestFinished(async () => {
    await hub.kill()
    await hub.home.remove()
  })
  await hub.start()
  return hub
}

const daemonOf = (hub: Member): Daemon => {
  const daemon = hub.daemon()
  if (daemon === undefined) throw new Error(`${hub.name} is down`)
  return daemon
}

/** Sends like any client: again until it is accepted. */
async function post(hub: Daemon, body: string): Promise<void> {
  const ask = () =>
    hub
      .request('/events', { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body })
      .then(({ status }) => status)
      .catch(() => 0)
  while ((await ask()) !== 200) await setTimeout(200)
}

it('a standby replaces a lost database: hubs find it by themselves, and every event is there once', {
  timeout: 180_000,
}, async () => {
  const [primary, standby] = await startPair()
  const both = `postgres://panoptes@${placeOf(primary)},${placeOf(standby)}/postgres`
  const hubs = [await startHub('one', both), await startHub('other', both)].map(daemonOf)
  const [one] = hubs
  if (one === undefined) throw new Error('there is no hub')
  const made = await runCommand(
    one.home,
    ['team', 'tokens', 'create', '--label', 'screen', '--scope', 'full', '--role', 'viewer', '--json'],
    { env: { PANOPTES_LEDGER: both } },
  )
  const { token } = JSON.parse(made.stdout) as { readonly token: string }
  const screens = hubs.map((hub) => watchScreen(() => hub.address, token))
  onTestFinished(() => {
    for (const screen of screens) screen.close()
  })
  const events = [...generateNewEvents({ seed: 5, events: EVENTS })]
  let sent = 0
  const sending = (async () => {
    for (let at = 0; at < events.length; at += AT_ONCE) {
      const hub = hubs[(at / AT_ONCE) % hubs.length] ?? one
      await post(
        hub,
        events
          .slice(at, at + AT_ONCE)
          .map((event) => JSON.stringify(event))
          .join('\n'),
      )
      sent = at + AT_ONCE
      await setTimeout(20)
    }
  })()
  await expect.poll(() => sent, { timeout: 60_000 }).toBeGreaterThan(EVENTS / 4)
  await primary.kill()
  const ready = async () => (await one.request('/ready')).status
  await expect.poll(ready, { timeout: 30_000 }).toBe(503)
  await ask(standby, 'SELECT pg_promote()')
  await expect.poll(ready, { timeout: 30_000 }).toBe(200)
  await sending
  const seen = () => screens.map((screen) => screen.seen())
  await expect.poll(seen, { timeout: 30_000 }).toEqual(screens.map(() => EVENTS))
  for (const screen of screens) {
    expect(screen.faults()).toEqual([])
    expect(screen.keys()).toEqual(events.map(({ key }) => key))
  }
  expect(await ask(standby, 'SELECT count(*)::int AS events FROM space_main.events')).toEqual({
    events: EVENTS,
  })
})

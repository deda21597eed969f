import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenPage, openPage } from './browser.ts'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { type NatsServer, startNats } from './setup/nats-server.ts'
import { type PostgresServer, startPostgres } from './setup/postgres-server.ts'

let postgres: PostgresServer
let nats: NatsServer
let home: TestHome
let hub: Daemon
let opened: OpenPage
let page: Page

/** The page is opened by the link of the hub's own computer, which needs no database to be good. */
beforeAll(async () => {
  ;[postgres, nats, home] = await Promise.all([startPostgres(), startNats(), makeHome()])
  hub = await startDaemon({ home, args: ['--ledger', postgres.url, '--bus', nats.url] })
  opened = await openPage(hub.link)
  page = opened.page
  await page.getByRole('status').getByText('Connected').waitFor()
})
afterAll(async () => {
  await opened?.close()
  await hub?.stop()
  await Promise.all([postgres?.stop(), nats?.stop(), home?.remove()])
})

const ready = async () => (await fetch(`${hub.address}/ready`)).json()
const bus = () => page.getByText(/The bus of this hub has not answered for/)
const database = () => page.getByText(/The database of this hub has not answered for/)

describe('a hub that is without a part of what it stands on', () => {
  it('says on the page and in /ready that its bus is away, and so does doctor', async () => {
    await expect.poll(ready).toEqual({ ready: true, takes_events: true, away: [] })
    await nats.kill()
    await bus().waitFor()
    expect(await ready()).toEqual({ ready: true, takes_events: false, away: ['bus'] })
    expect(await database().count()).toBe(0)
    const args = ['doctor', '--team', '--ledger', postgres.url, '--bus', nats.url]
    const told = await runCommand(home, args)
    expect(told.stdout).toContain('The bus does not answer')
    expect(told.stdout).toContain('Hubs take no events until then')
    await nats.start()
    await bus().waitFor({ state: 'detached' })
  })

  it('says within some seconds that its database is away, also who came by its own link, and goes on by itself', async () => {
    await page.goto(`${hub.address}/settings`)
    await page.getByRole('status').getByText('Connected').waitFor()
    await postgres.kill()
    const since = Date.now()
    await database().waitFor()
    // About five seconds; more where a machine is busy.
    expect(Date.now() - since).toBeLessThan(25_000)
    await page.getByRole('status').getByText('Database away').waitFor()
    expect(await ready()).toMatchObject({ takes_events: true, away: ['database'] })
    await postgres.start()
    await database().waitFor({ state: 'detached' })
    await page.getByRole('status').getByText('Connected').waitFor()
  })
})

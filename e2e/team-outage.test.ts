import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenPage, openPage } from './browser.ts'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { type NatsServer, startNats } from './setup/nats-server.ts'
import { type PostgresServer, startPostgres } from './setup/postgres-server.ts'
import { useNats, usePostgres } from './setup/shared-servers.ts'

useNats()
usePostgres()

let postgres: PostgresServer
let nats: NatsServer
let home: TestHome
let hub: Daemon
let opened: OpenPage
let page: Page

/** The page is opened by the link of the hub's own computer, which works without the database. */
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
const bus = () => page.getByText(/This hub’s message bus has not responded for/)
const database = () => page.getByText(/This hub’s database has not responded for/)

describe('a hub without one of its dependencies', () => {
  it('shows on the page, in /ready and in doctor that its bus is unreachable', async () => {
    await expect.poll(ready).toEqual({ ready: true, takes_events: true, away: [] })
    await nats.kill()
    await bus().waitFor()
    expect(await ready()).toEqual({ ready: true, takes_events: false, away: ['bus'] })
    expect(await database().count()).toBe(0)
    const args = ['doctor', '--team', '--ledger', postgres.url, '--bus', nats.url]
    const told = await runCommand(home, args)
    expect(told.stdout).toContain('The bus does not answer')
    expect(told.stdout).toMatch(/Until then,? hubs accept no events.* forwarders keep /)
    await nats.start()
    await bus().waitFor({ state: 'detached' })
  })

  it('shows within seconds that its database is unreachable, also after a sign-in by link, and continues by itself', async () => {
    await page.goto(`${hub.address}/settings`)
    await page.getByRole('status').getByText('Connected').waitFor()
    await postgres.kill()
    const since = Date.now()
    await database().waitFor()
    // The page usually notices within five seconds; a busy machine takes longer.
    expect(Date.now() - since).toBeLessThan(25_000)
    await page.getByRole('status').getByText('Database down').waitFor()
    expect(await ready()).toMatchObject({ takes_events: true, away: ['database'] })
    await postgres.start()
    await database().waitFor({ state: 'detached' })
    await page.getByRole('status').getByText('Connected').waitFor()
  })
})

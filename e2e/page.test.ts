import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goWithin } from './axe.ts'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import {
  drawnSeqs,
  EVENTS,
  eventually,
  ownScripts,
  post,
  postDay,
  prompt,
  rows,
  stored,
  usePages,
  watchScripts,
} from './page-kit.ts'

const EVENT_COUNT = 2_000
const pages = usePages()
let home: TestHome
let daemon: Daemon

beforeAll(async () => {
  home = await makeHome()
  daemon = await startDaemon({ home })
  await postDay(daemon, EVENT_COUNT)
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
})

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
const theme = (page: Page) => page.locator('html').getAttribute('data-theme')
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const clipboard = (page: Page) =>
  page.evaluate(() => {
    const scope = globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
    return scope.navigator.clipboard.readText()
  })

describe('the page of a running Panoptes', () => {
  it('loads little, filters as the store does, opens at any address and keeps its theme', async () => {
    const page = await pages.open(daemon, EVENTS, { first: watchScripts })
    await rows(page).first().waitFor()
    const sizes = (await ownScripts(page)).map(({ encodedBodySize }) => encodedBodySize)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(sizes.length).toBeGreaterThan(1)
    expect(total).toBeGreaterThan(50_000)
    expect(total).toBeLessThan(200_000)

    for (const [search, query] of [
      ['kind=tool_done,agent_done&failed=true', 'kind=tool_done,agent_done&failed=1'],
      ['text=bAsH', 'text=bash'],
    ] as const) {
      await goWithin(page, `${EVENTS}?${search}`)
      const { events } = await stored(daemon, `${query}&limit=20`)
      expect(events).toHaveLength(20)
      const seqs = events.map(({ seq }) => seq)
      await eventually(async () => (await drawnSeqs(page)).slice(0, 20)).toEqual(seqs)
    }

    for (const address of [
      '/?at=abc&view=%7B%7D&agent=%25zz',
      '/?at=9000000000000000&session=[1]',
      '/sessions?since=abc&until=99999999999999999&n=x&session=%25zz~a&cost=[]',
      '/achievements?source=%5B%5D&category=%7B%7D&state=null&sort=3',
      '/templates?type=%5B%5D&name=%7B%7D',
      '/ledger?tab=%5B%5D&days=abc&session=%25zz&outcome=%7B%7D&skill=null&by=3',
      '/moa?turn=%5B%5D&preset=%7B%7D&session=null&tab=3&open=%25zz&make=x',
      '/settings/events?event=abc&kind=[]&failed=%7B%7D&text=null',
    ]) {
      await goWithin(page, address)
      await eventually(() => heading(page)).toMatch(
        /^(Live|Sessions|Achievements|Templates|Ledger|MoA|Events)$/,
      )
      await page.getByRole('heading', { name: 'This page crashed' }).waitFor({ state: 'detached' })
    }

    await page.goto(`${daemon.address}/nowhere`)
    await eventually(() => heading(page)).toBe('Page not found')
    expect(await theme(page)).toBe('dark')
    await page.getByRole('button', { name: 'Switch to light' }).click()
    await eventually(() => theme(page)).toBe('light')
    await page.reload()
    expect(await theme(page)).toBe('light')
  })

  it('shows in Settings what is on the computer, backs up the store and compares it with the log', async () => {
    const page = await pages.open(daemon, '/settings')
    await section(page, 'Sources')
      .getByText(/\d not found$/)
      .click()
    await section(page, 'Sources')
      .getByText(/set CODEX_HOME before/)
      .waitFor()
    await section(page, 'Providers')
      .getByText(/\d not set up$/)
      .click()
    await section(page, 'Providers')
      .getByText(/set ANTHROPIC_API_KEY before/)
      .waitFor()

    const storage = section(page, 'Storage')
    await storage.getByText(/2,000 events since/).waitFor()
    // A hub's log is bounded only by age until a size is configured.
    const kept = home.store === undefined ? '90 days · 2 GB' : '90 days'
    await storage.getByText(kept, { exact: true }).waitFor()
    await storage.getByText('No backup yet').waitFor()
    await storage.getByRole('button', { name: 'Back up now' }).click()
    await storage.getByText(/^Backed up, /).waitFor()
    const path = await storage.locator('code', { hasText: 'backups' }).textContent()
    expect(existsSync(path ?? '')).toBe(true)
    await storage.getByRole('button', { name: 'Check projections' }).click()
    await storage.getByText(/match the log of 2,000 events$/).waitFor()

    const health = section(page, 'Health')
    await health.getByRole('button', { name: 'Check again' }).click()
    await health.getByText('checked now').waitFor()
    await health.getByText(/checks? pass/).waitFor()
    await section(page, 'About').getByText(daemon.address).waitFor()
  })

  it('copies a token, stays signed in after rotating it, and asks to sign in after another client rotated it', async () => {
    const page = await pages.open(daemon, '/settings#tokens', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const copy = page.getByRole('button', { name: 'Copy the ingest token' })
    await copy.click()
    const command = await page.getByText(/panoptes confirm [\w-]+/).textContent()
    const code = /panoptes confirm ([\w-]+)/.exec(command ?? '')?.[1]
    expect(await runCommand(home, ['confirm', code ?? ''])).toMatchObject({ code: 0 })
    await copy.click()
    await page.getByText('Copied the ingest token').waitFor()
    expect(await clipboard(page)).toBe(await daemon.token('ingest'))

    const before = await daemon.token('full')
    await page.getByRole('button', { name: 'Rotate the full token' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByText('Rotated the full token').waitFor()
    expect(await daemon.token('full')).not.toBe(before)
    await page.reload()
    await section(page, 'Tokens').getByText('This page and the command line').waitFor()

    await daemon.request('/api/tokens/full/rotate', { method: 'POST' })
    await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor()
    const answer = await daemon.request('/api/link', { method: 'POST' })
    const { link } = (await answer.json()) as { readonly link: string }
    await page.goto(link)
    await eventually(() => heading(page)).toBe('Live')
    // The browser logs an error for each refused request.
    await pages.closeUnheard()
  })

  it('reconnects without losing an event after the daemon was killed and restarted', async () => {
    const page = await pages.open(daemon, EVENTS)
    await post(daemon, [prompt('before')])
    await eventually(() => rows(page).first().textContent()).toContain('“before”')

    await daemon.kill()
    await page
      .getByRole('status')
      .filter({ hasText: /^(Reconnecting|Disconnected)$/ })
      .waitFor()
    await page.getByText(/^Disconnected for \d+ s, so the list may be out of date\./).waitFor()
    expect(await rows(page).first().textContent()).toContain('“before”')

    daemon = await startDaemon({ home, args: ['--port', String(daemon.port)] })
    await post(daemon, [prompt('while away')])
    await page
      .getByRole('status')
      .filter({ hasText: /^Connected$/ })
      .waitFor({ timeout: 45_000 })
    await eventually(() => rows(page).first().textContent()).toContain('“while away”')
    await page.getByText(/^Disconnected for/).waitFor({ state: 'detached' })
    await post(daemon, [prompt('afterwards')])
    await eventually(() => rows(page).first().textContent()).toContain('“afterwards”')
    const seqs = await drawnSeqs(page)
    expect(seqs).toEqual(seqs.map((_, i) => EVENT_COUNT + 3 - i))
    // The browser logs an error for each request without an answer.
    await pages.closeUnheard()
  }, 180_000)
})

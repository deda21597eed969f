import { existsSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, startDaemon } from './daemon.ts'
import { eventually, postDay, usePages } from './page-kit.ts'

let daemon: Daemon
const pages = usePages()

beforeAll(async () => {
  daemon = await startDaemon()
  await postDay(daemon, 5_000)
})
afterAll(() => daemon?.stop())

function open(hash = '', options: BrowserContextOptions = {}): Promise<Page> {
  return pages.open(daemon, `/settings${hash}`, {
    ...options,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const clipboard = (page: Page) =>
  page.evaluate(() => {
    const scope = globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
    return scope.navigator.clipboard.readText()
  })

describe('Settings', () => {
  it('shows what was found on this computer, and what to do where it was not', async () => {
    const page = await open()
    const sources = section(page, 'Sources')
    await sources.getByText(/\d not found$/).click()
    await sources.getByText(/set CODEX_HOME before/).waitFor()
    const providers = section(page, 'Providers')
    await providers.getByText(/\d not set up$/).click()
    await providers.getByText(/set ANTHROPIC_API_KEY before/).waitFor()
  })

  it('goes to a section by its name and says which one is read', async () => {
    const page = await open()
    await section(page, 'About').getByText('Version').waitFor()
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Storage' }).click()
    await eventually(() => page.locator('[aria-current=location]').textContent()).toBe('Storage')
    expect(page.url()).toContain('#storage')
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Events' }).click()
    await eventually(() => page.url()).toContain('/settings/events')
  })

  it('moves only its own column when a section is asked for, also on a phone', async () => {
    const page = await open('#health', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await eventually(() => page.locator('[aria-current=location]').textContent()).toContain('Health')
    await section(page, 'Health')
      .getByText(/checks? pass/)
      .waitFor()
    expect((await page.getByRole('banner').boundingBox())?.y).toBe(0)
    const title = await page.getByRole('heading', { name: 'Health' }).boundingBox()
    expect(title?.y).toBeLessThan(844)
  })

  it('shows the ledger as it is', async () => {
    const page = await open('#storage')
    await section(page, 'Storage')
      .getByText(/5,000 events since/)
      .waitFor()
    // The log of a hub has no bound but its age until one is set.
    const kept = daemon.home.ledger === undefined ? '90 days · 2 GB' : '90 days'
    await section(page, 'Storage').getByText(kept, { exact: true }).waitFor()
  })

  it('backs the ledger up and says where to', async () => {
    const page = await open('#storage')
    await section(page, 'Storage').getByText('Not backed up yet').waitFor()
    await section(page, 'Storage').getByRole('button', { name: 'Back up now' }).click()
    await section(page, 'Storage')
      .getByText(/^Backed up, /)
      .waitFor()
    const path = await section(page, 'Storage').locator('code', { hasText: 'backups' }).textContent()
    expect(existsSync(path ?? '')).toBe(true)
  })

  it('checks the projections against the log', async () => {
    const page = await open('#storage')
    await section(page, 'Storage').getByRole('button', { name: 'Check projections' }).click()
    await section(page, 'Storage')
      .getByText(/equal the log of 5,000 events$/)
      .waitFor()
  })

  it('copies a token without showing it', async () => {
    const page = await open('#tokens')
    const token = await daemon.token('ingest')
    await page.getByRole('button', { name: 'Copy the ingest token' }).click()
    await page.getByText('The ingest token is copied').waitFor()
    expect(await clipboard(page)).toBe(token)
    expect(await page.content()).not.toContain(token)
  })

  it('asks before it rotates a token, and stays signed in', async () => {
    const page = await open('#tokens')
    const before = await daemon.token('full')
    await page.getByRole('button', { name: 'Rotate the full token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rotate the full token?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await daemon.token('full')).toBe(before)
    await page.getByRole('button', { name: 'Rotate the full token' }).click()
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    await page.getByText('The full token is new').waitFor()
    expect(await daemon.token('full')).not.toBe(before)
    await page.reload()
    await section(page, 'Tokens').getByText('This page and the command').waitFor()
  })

  it('runs the checks again and folds away those that pass', async () => {
    const page = await open('#health')
    const health = section(page, 'Health')
    await health.getByText(/checks? pass/).waitFor()
    await health.getByRole('button', { name: 'Check again' }).click()
    await health.getByText('checked now').waitFor()
    const first = health.locator('details dt').first()
    expect(await first.isVisible()).toBe(false)
    await health.getByText(/checks? pass/).click()
    await eventually(() => first.isVisible()).toBe(true)
  })

  it('says which version runs, and where', async () => {
    const page = await open('#about')
    await section(page, 'About').getByText(daemon.address).waitFor()
    await section(page, 'About').getByRole('button', { name: 'Copy all' }).click()
    await eventually(() => clipboard(page)).toContain(`Address: ${daemon.address}`)
  })

  it('shows the failure of one card in that card, and the rest', async () => {
    const page = await open()
    await page.route('**/api/sources', (route) => route.abort())
    await page.reload()
    await section(page, 'Sources')
      .getByRole('alert')
      .getByText(/Panoptes does not answer/)
      .waitFor()
    await section(page, 'About').getByText('Version').waitFor()
    await page.unroute('**/api/sources')
    await section(page, 'Sources').getByRole('button', { name: 'Try again' }).click()
    await section(page, 'Sources')
      .getByText(/\d not found$/)
      .waitFor()
    await pages.closeUnheard()
  })
})

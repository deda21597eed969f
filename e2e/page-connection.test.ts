import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { axe } from './axe.ts'
import { makeHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { EVENTS, eventually, openAt, post, prompt, rows } from './page-kit.ts'

const daemons: Daemon[] = []
const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  for (const daemon of daemons.splice(0)) await daemon.stop()
})

const loadedScripts = (page: Page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map((entry) => entry.name)
      .join(' '),
  )

describe('a lost connection', () => {
  it('is named, with the age of what is shown, and mended by itself without a lost event', async () => {
    const home = await makeHome()
    const first = await startDaemon({ home })
    const { page, close } = await openAt(first, EVENTS)
    closing.push(close, home.remove)
    await post(first, [prompt('before')])
    await page.getByText('“before”').waitFor()
    await eventually(() => loadedScripts(page)).toContain('settings-page')

    await first.kill()
    await page
      .getByRole('status')
      .filter({ hasText: /^(Reconnecting|Disconnected)$/ })
      .waitFor()
    await page.getByText(/^Not connected for \d+ s: the list is as old as that\./).waitFor()
    expect(await rows(page).first().textContent()).toContain('“before”')
    expect(await axe(page)).toEqual([])

    const settings = page.getByRole('heading', { name: 'Settings', exact: true })
    await eventually(async () => {
      await page.keyboard.press('8')
      return settings.count()
    }).toBe(1)
    await page.getByRole('alert').filter({ hasText: 'Panoptes does not answer.' }).first().waitFor()
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'Panoptes does not answer.' }).first().waitFor()

    const second = await startDaemon({ home, args: ['--port', String(first.port)] })
    daemons.push(second)
    await post(second, [prompt('while away')])
    await page
      .getByRole('status')
      .filter({ hasText: /^Connected$/ })
      .waitFor({ timeout: 45_000 })
    await eventually(() => rows(page).first().textContent()).toContain('“while away”')
    expect(await rows(page).count()).toBe(2)
    await page.getByText(/^Not connected for/).waitFor({ state: 'detached' })
    await post(second, [prompt('afterwards')])
    await eventually(() => rows(page).first().textContent()).toContain('“afterwards”')
  })

  it('asks to sign in again where another Panoptes answers at the same address', async () => {
    const first = await startDaemon()
    const { page, close } = await openAt(first, EVENTS)
    closing.push(close)
    await post(first, [prompt('mine')])
    await page.getByText('“mine”').waitFor()
    const token = await first.token('full')
    await first.stop()

    const home = await makeHome()
    closing.push(home.remove)
    const second = await startDaemon({ home, args: ['--port', String(first.port)] })
    daemons.push(second)
    expect(await second.token('full')).not.toBe(token)
    await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor({ timeout: 45_000 })
  })
})

describe('a browser that is not signed in', () => {
  it('says what to run, calmly, when its token is replaced', async () => {
    const daemon = await startDaemon()
    daemons.push(daemon)
    const { page, close } = await openAt(daemon, EVENTS)
    closing.push(close)
    await post(daemon, [prompt('seen before')])
    await page.getByText('“seen before”').waitFor()
    await daemon.request('/api/tokens/full/rotate', { method: 'POST' })
    await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor()
    await page.getByText('npx panoptes up').waitFor()
    expect(await page.getByText('“seen before”').count()).toBe(0)
    expect(await axe(page)).toEqual([])

    const answer = await daemon.request('/api/link', { method: 'POST' })
    const { link } = (await answer.json()) as { readonly link: string }
    await page.goto(link)
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor()
    await page.goto(`${daemon.address}${EVENTS}`)
    await page.getByText('“seen before”').waitFor()
  })
})

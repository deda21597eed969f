import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingInBothThemes, followSystem, goWithin } from './axe.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { EVENTS, eventually, focused, postDay, rows, usePages, type WindowOptions } from './page-kit.ts'

let daemon: Daemon
const pages = usePages()

beforeAll(async () => {
  daemon = await startDaemon()
  await postDay(daemon, 2_000)
})
afterAll(() => daemon?.stop())

function open(path: string, options: WindowOptions = {}): Promise<Page> {
  return pages.open(daemon, path, options)
}

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
const theme = (page: Page) => page.locator('html').getAttribute('data-theme')

describe('the window', () => {
  it('opens on Live and goes to each page by its key', async () => {
    const page = await open('/')
    await eventually(() => heading(page)).toBe('Live')
    await page.keyboard.press('2')
    await eventually(() => heading(page)).toBe('Sessions')
    await page.keyboard.press('3')
    await eventually(() => heading(page)).toBe('Achievements')
    await page.keyboard.press('4')
    await eventually(() => heading(page)).toBe('Templates')
    await page.keyboard.press('5')
    await eventually(() => heading(page)).toBe('Ledger')
    await page.keyboard.press('6')
    await eventually(() => heading(page)).toBe('MoA')
    await page.keyboard.press('7')
    await eventually(() => heading(page)).toBe('Chat')
    await page.keyboard.press('8')
    await eventually(() => heading(page)).toBe('Settings')
    expect(await page.title()).toMatch(/^(\(\d+\) )?Settings · Panoptes$/)
    await page.keyboard.press('1')
    await eventually(() => heading(page)).toBe('Live')
  })

  it('shows a page that was asked for by its address, and says so when there is none', async () => {
    const page = await open('/settings')
    await eventually(() => heading(page)).toBe('Settings')
    await page.goto(`${daemon.address}/nowhere`)
    await eventually(() => heading(page)).toBe('Nothing is here')
    await page.getByRole('link', { name: 'Go to Live' }).click()
    await eventually(() => heading(page)).toBe('Live')
  })

  it('opens every page whatever its address says', async () => {
    const hostile = [
      '/?at=abc&view=%7B%7D&agent=%25zz',
      '/?at=99999999999999999',
      '/?at=9000000000000000&session=[1]',
      '/sessions?since=abc&until=99999999999999999&n=x&session=%25zz~a&cost=[]',
      '/achievements?source=%5B%5D&category=%7B%7D&state=null&sort=3',
      '/templates?type=%5B%5D&name=%7B%7D',
      '/ledger?tab=%5B%5D&days=abc&session=%25zz&outcome=%7B%7D&skill=null&by=3',
      '/moa?turn=%5B%5D&preset=%7B%7D&session=null&tab=3&open=%25zz&make=x',
      '/settings?at=abc',
      '/settings/events?event=abc&kind=[]&failed=%7B%7D&text=null',
    ]
    const page = await open('/settings')
    for (const address of hostile) {
      await page.goto(`${daemon.address}${address}`)
      await eventually(() => heading(page)).toMatch(
        /^(Live|Sessions|Achievements|Templates|Ledger|MoA|Settings|Events)$/,
      )
      await page.getByRole('heading', { name: 'This page stopped' }).waitFor({ state: 'detached' })
    }
    await page.goto(`${daemon.address}/?at=abc`)
    await eventually(() => page.url()).not.toContain('abc')
  })

  it('says what to do when a page stops, and keeps the rest of the window', async () => {
    const page = await open('/settings')
    await page.route('**/api/status', (route) => route.fulfill({ json: { flow: null } }))
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await page.getByRole('heading', { name: 'This page stopped' }).first().waitFor()
    await page.getByRole('button', { name: 'Reload' }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').waitFor()
    await pages.closeUnheard()
  })

  it('does not take letters that are typed into a field for keys', async () => {
    const page = await open(EVENTS)
    await page.keyboard.press('/')
    await page.keyboard.type('2?j')
    expect(await page.getByLabel('Filter by words or key').inputValue()).toBe('2?j')
    expect(await heading(page)).toBe('Events')
  })

  it('shows all keys and gives them back to the page afterwards', async () => {
    const page = await open(EVENTS)
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await dialog.waitFor()
    expect(await dialog.textContent()).toContain('back to live')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('8')
    await eventually(() => heading(page)).toBe('Settings')
  })

  it('keeps the theme that was chosen', async () => {
    const page = await open('/settings')
    expect(await theme(page)).toBe('dark')
    await page.locator('label', { hasText: 'Light' }).click()
    await eventually(() => theme(page)).toBe('light')
    await page.reload()
    expect(await theme(page)).toBe('light')
    await page.locator('label', { hasText: 'System' }).click()
    await page.emulateMedia({ colorScheme: 'dark' })
    await eventually(() => theme(page)).toBe('dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await eventually(() => theme(page)).toBe('light')
  })

  it('shrinks its rail to icons at 1280 and to a bar on a phone', async () => {
    const page = await open(EVENTS, { viewport: { width: 1440, height: 900 } })
    const rail = page.getByRole('navigation', { name: 'Pages' })
    const box = async () => {
      const found = await rail.boundingBox()
      if (!found) throw new Error('the rail is not drawn')
      return found
    }
    await eventually(async () => (await box()).width).toBeGreaterThan(150)
    await page.setViewportSize({ width: 1280, height: 800 })
    await eventually(async () => (await box()).width).toBeLessThanOrEqual(56)
    await page.setViewportSize({ width: 390, height: 844 })
    await eventually(async () => (await box()).width).toBe(390)
    expect((await box()).y).toBeGreaterThan(700)
  })

  it('moves only where motion is welcome', async () => {
    for (const [motion, expected] of [
      ['reduce', '0s'],
      ['no-preference', '0.2s, 0.2s'],
    ] as const) {
      const page = await open(EVENTS, { reducedMotion: motion })
      await page.keyboard.press('?')
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      const duration = await dialog.evaluate(
        (element) =>
          (
            globalThis as unknown as { getComputedStyle(of: unknown): { transitionDuration: string } }
          ).getComputedStyle(element).transitionDuration,
      )
      expect(duration).toBe(expected)
    }
  })

  it('loads less than 200 KB of compressed scripts at first', async () => {
    const page = await open(EVENTS)
    await rows(page).first().waitFor()
    const scripts = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map((entry) => entry.toJSON() as { readonly name: string; readonly encodedBodySize: number })
        .filter((entry) => entry.name.endsWith('.js')),
    )
    const total = scripts.reduce((sum, script) => sum + script.encodedBodySize, 0)
    expect(scripts.length).toBeGreaterThan(1)
    expect(total).toBeGreaterThan(50_000)
    expect(total).toBeLessThan(200_000)
  })
})

describe('⌘K', () => {
  const palette = async (page: Page, typed: string) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type(typed)
  }

  it('goes to a page and to a part of Settings by what it is called', async () => {
    const page = await open(EVENTS)
    await palette(page, 'stor')
    const option = page.getByRole('option', { selected: true })
    await eventually(() => option.textContent()).toContain('Settings › Storage')
    expect(await option.locator('mark').first().textContent()).toBe('Stor')
    await page.keyboard.press('Enter')
    await eventually(() => page.url()).toContain('/settings#storage')
    await page.getByRole('heading', { name: 'Storage' }).waitFor()
    await eventually(() => page.locator('[aria-current=location]').textContent()).toBe('Storage')
  })

  it('is driven by the arrows and closed by Escape', async () => {
    const page = await open(EVENTS)
    await palette(page, '')
    const chosen = () => page.getByRole('option', { selected: true }).textContent()
    await eventually(chosen).toContain('Live')
    await page.keyboard.press('ArrowDown')
    await eventually(chosen).toContain('Sessions')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await eventually(chosen).toContain('Show all keys')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('opens an event by its seq', async () => {
    const page = await open('/settings')
    await palette(page, '#1,234')
    await page.getByRole('option', { name: 'Event #1,234' }).waitFor()
    await page.keyboard.press('Enter')
    await eventually(() => page.url()).toContain('event=1234')
    await page.getByRole('complementary').getByText('#1,234').first().waitFor()
  })

  it('does things: another theme, a backup', async () => {
    const page = await open(EVENTS)
    await palette(page, '>light')
    await page.getByRole('option', { name: /Switch to light/ }).waitFor()
    await page.keyboard.press('Enter')
    await eventually(() => theme(page)).toBe('light')
    await palette(page, 'back up')
    await page.getByRole('option', { name: /Back up the ledger/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/^Backed up, /).waitFor()
  })
})

describe('everyone can use it', () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  /** Where to go, and what is there once it is drawn. */
  const places = [
    [EVENTS, /^rows 1–/],
    [`${EVENTS}?event=1500`, /^Same (call|agent|id)$/],
    [`${EVENTS}?text=nothing-says-this`, 'No event matches'],
    ['/sessions', 'No sessions yet'],
    ['/settings', /checks? pass/],
  ] as const

  for (const [width, options] of [
    ['wide', { viewport: { width: 1440, height: 900 } }],
    ['narrow', phone],
  ] as const)
    it(`has nothing axe complains of on any page, ${width}, dark and light`, async () => {
      const page = await open(EVENTS, options)
      await followSystem(page)
      for (const [path, there] of places) {
        await goWithin(page, path)
        await page.getByText(there).first().waitFor()
        await expectNothingInBothThemes(page, path)
      }
    })

  it('has nothing axe complains of in ⌘K, the keys and a menu, dark and light', async () => {
    const page = await open(EVENTS)
    await followSystem(page)
    await rows(page).first().waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').waitFor()
    await expectNothingInBothThemes(page, '⌘K')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await expectNothingInBothThemes(page, 'the keys')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Kinds/ }).click()
    await page.getByRole('menu').waitFor()
    await expectNothingInBothThemes(page, 'a menu')
  })

  it('is large enough for a finger on a phone', async () => {
    const page = await open(EVENTS, phone)
    await rows(page).first().waitFor()
    const small = await page
      .locator('button:visible, a:visible, tbody tr')
      .evaluateAll((elements) =>
        elements
          .map((element) => ({ text: element.textContent, height: element.getBoundingClientRect().height }))
          .filter(({ height }) => height > 1 && height < 44),
      )
    expect(small).toEqual([])
  })

  it('can be walked through with Tab, and shows where the focus is', async () => {
    const page = await open(EVENTS)
    await rows(page).first().waitFor()
    const seen = new Set<string>()
    for (let i = 0; i < 25; i += 1) {
      await page.keyboard.press('Tab')
      const at = await focused(page)
      if (!at) break
      if (seen.has(at.name)) break
      seen.add(at.name)
      expect(at).toMatchObject({ ringed: true })
    }
    for (const name of [
      'Skip to the page',
      'Go to, find, do',
      'Filter by words or key',
      'Events, newest first',
    ])
      expect([...seen].some((one) => one.startsWith(name))).toBe(true)
  })
})

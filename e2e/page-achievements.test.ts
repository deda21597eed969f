import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addBusySession, counted, homeWithHermes } from './achievements-home.ts'
import { axe, expectNothingInBothThemes, followSystem } from './axe.ts'
import type { TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { colorAt, eventually, usePages } from './page-kit.ts'

const BUSY = 'ea691ccd-8a96-4a2d-838e-68211d445501'
const BUSIER = 'ea691ccd-8a96-4a2d-838e-68211d445502'
const pages = usePages()
let home: TestHome
let daemon: Daemon

beforeAll(async () => {
  home = await homeWithHermes()
  await addBusySession(home, BUSY, 250)
  daemon = await startDaemon({ home })
  await counted(daemon)
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
})

function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  return pages.open(daemon, path, { viewport: { width: 1440, height: 900 }, ...options })
}

const ASKED = /\/api\/achievements\?/
const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const names = (page: Page) => page.getByRole('article').getByRole('heading').allTextContents()

describe('the achievements', () => {
  it('stand as they were counted, and are narrowed and put in order by the address', async () => {
    const { achievements } = await counted(daemon)
    const page = await open('/achievements')
    await eventually(() => page.getByRole('article').count()).toBe(60)
    const unlocked = achievements.filter((item) => item.unlocked)
    await page.getByRole('img', { name: `${unlocked.length} of 60 unlocked` }).waitFor()
    const cook = card(page, 'Let Him Cook')
    expect(await cook.textContent()).toMatch(
      /Let Him Cook.*Copper.*250.*\/ 500.*A long session.*next: Silver/,
    )
    await page.locator('label', { hasText: 'Unlocked' }).click()
    await eventually(() => names(page)).toHaveLength(unlocked.length)
    await page.getByRole('button', { name: /^Agent Autonomy/ }).click()
    await page.getByRole('button', { name: 'Sort: closest first' }).click()
    await page.getByRole('menuitem', { name: 'Name' }).click()
    const expected = unlocked.filter(({ category }) => category === 'Agent Autonomy').map(({ name }) => name)
    await eventually(() => names(page)).toEqual(expected.toSorted())
    expect(page.url()).toMatch(/category=Agent(%20|\+)Autonomy&state=unlocked&sort=name/)
    await page.reload()
    await eventually(() => names(page)).toEqual(expected.toSorted())
  })

  it('say what counts, when each tier was reached, and lead to the session that shows it', async () => {
    const page = await open('/achievements?sort=name')
    const cook = card(page, 'Let Him Cook')
    await cook.getByRole('button', { name: 'What counts: Let Him Cook' }).click()
    await cook.getByText('Tool calls in one session: Copper 200').waitFor()
    await eventually(() =>
      cook.getByRole('list', { name: 'When each tier was reached' }).textContent(),
    ).toMatch(/^Copper\d+ \w+/)
    expect(await card(page, 'Full Send').textContent()).toContain('best so far: ')
    const recent = page.getByRole('region', { name: 'Recent unlocks' })
    expect(await recent.getByRole('link', { name: 'A long session' }).count()).toBeGreaterThan(0)
    await cook.getByRole('link', { name: 'A long session' }).first().click()
    await page
      .getByRole('region', { name: 'Transcript' })
      .getByRole('heading', { name: 'A long session' })
      .waitFor()
    expect(page.url()).toContain(BUSY)
  })

  it('are those of Hermes alone where someone asks for it', async () => {
    const page = await open('/achievements')
    await card(page, 'Let Him Cook').getByText('Copper', { exact: true }).waitFor()
    await page.locator('label', { hasText: 'Hermes only' }).click()
    await card(page, 'Let Him Cook').getByText('Not yet').waitFor()
    expect(page.url()).toContain('source=hermes')
  })

  it('are laid out only where someone looks', async () => {
    const page = await open('/achievements?sort=catalogue')
    const drawn = () =>
      page.getByRole('article').evaluateAll((cards) => {
        const isDrawn = (one: unknown) =>
          (one as { checkVisibility(how: object): boolean }).checkVisibility({ contentVisibilityAuto: true })
        return cards.map((one) => isDrawn(one.querySelector('h3')))
      })
    await eventually(async () => (await drawn())[0]).toBe(true)
    await eventually(async () => (await drawn()).at(-1)).toBe(false)
    await page.getByRole('article').last().scrollIntoViewIfNeeded()
    await eventually(async () => (await drawn()).at(-1)).toBe(true)
  })

  it('are worked by keys alone', async () => {
    const page = await open('/achievements?sort=name&category=Agent Autonomy')
    await page.getByRole('article').first().waitFor()
    const focused = () => page.locator(':focus').getByRole('heading').textContent()
    const [first, second] = await names(page)
    await page.keyboard.press('j')
    await eventually(focused).toBe(first)
    await page.keyboard.press('j')
    await eventually(focused).toBe(second)
    await page.keyboard.press('o')
    await card(page, second ?? '')
      .getByRole('region', { name: /^What counts/ })
      .waitFor()
    await page.keyboard.press('k')
    await eventually(focused).toBe(first)
  })
})

describe('a picture to share', () => {
  it('is a PNG of 1200 by 630 in the colours of the theme', async () => {
    const page = await open('/achievements', { permissions: ['clipboard-read', 'clipboard-write'] })
    await card(page, 'Let Him Cook')
      .getByRole('button', { name: /^Share card/ })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Share card' })
    await dialog.getByRole('img', { name: 'Picture of Let Him Cook, 1200 × 630' }).waitFor()
    const saving = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download PNG' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('panoptes-let_him_cook.png')
    const file = join(home.folder, 'shared.png')
    await saved.saveAs(file)
    const png = await readFile(file)
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1_200, 630])
    expect(await colorAt(page.locator('canvas'), 20, 20)).toEqual([0x0f, 0x17, 0x2a])
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Copy picture' }).click()
    await page.getByText('Copied the picture').waitFor()
    expect(
      await page.evaluate(async () => {
        const scope = globalThis as unknown as {
          navigator: { clipboard: { read(): Promise<readonly { readonly types: readonly string[] }[]> } }
        }
        return (await scope.navigator.clipboard.read()).flatMap(({ types }) => types)
      }),
    ).toContain('image/png')
  })
})

describe('counting', () => {
  it('shows how far it is, what is known so far, and then everything', async () => {
    const whole = await counted(daemon)
    const page = await open('/settings')
    const status = { ...whole.scan_meta.status, state: 'running', progress: { done: 1_234, total: 5_025 } }
    const meta = { ...whole.scan_meta, sessions_scanned_so_far: 1_234, status }
    const stages = [
      {
        ...whole,
        generated_at: 0,
        unlocked_count: 0,
        scan_meta: { ...meta, mode: 'pending', sessions_total: 0 },
      },
      { ...whole, scan_meta: { ...meta, mode: 'in_progress', sessions_total: 5_025 } },
      {
        ...whole,
        is_stale: true,
        scan_meta: { ...whole.scan_meta, status: { ...status, progress: { done: 2, total: 3 } } },
      },
    ]
    let stage = 0
    await page.route(ASKED, (route) =>
      stages[stage] ? route.fulfill({ json: stages[stage] }) : route.continue(),
    )
    await page.keyboard.press('3')
    await page.getByRole('heading', { name: 'Read your sessions' }).waitFor()
    await page.getByRole('progressbar', { name: 'Read 1,234 of 5,025 sessions' }).waitFor()
    stage = 1
    await page.getByText('Read 1,234 of 5,025 sessions. What is shown counts what was read so far.').waitFor()
    await eventually(() => page.getByRole('article').count()).toBe(60)
    stage = 2
    await page.getByRole('status').filter({ hasText: 'Counting what is new' }).getByText('2 / 3').waitFor()
    stage = 3
    await eventually(() => page.getByText('Counting what is new').count()).toBe(0)
    await page.getByText(/^\d+ sessions read · counted/).waitFor()
  })

  it('is begun by the button where nothing was counted yet', async () => {
    const whole = await counted(daemon)
    const page = await open('/settings')
    const unread = { ...whole.scan_meta, mode: 'pending', sessions_total: 0 }
    let begun = false
    await page.route(ASKED, (route) =>
      begun
        ? route.continue()
        : route.fulfill({ json: { ...whole, generated_at: 0, unlocked_count: 0, scan_meta: unread } }),
    )
    await page.route('**/api/rescan', (route) => {
      begun = true
      return route.continue()
    })
    await page.keyboard.press('3')
    await page.getByRole('button', { name: 'Read your sessions' }).click()
    await eventually(() => page.getByRole('article').count()).toBe(60)
  })

  it('that fails at first says why, and what comes of another try', async () => {
    const whole = await counted(daemon)
    const page = await open('/settings')
    const error = 'The database is locked.'
    const status = { ...whole.scan_meta.status, state: 'running', last_error: error }
    const meta = { ...whole.scan_meta, mode: 'pending', sessions_total: 0, error }
    const unread = { ...whole, generated_at: 0, unlocked_count: 0, error }
    const progress = { done: 3, total: 9 }
    let stage = 0
    await page.route(ASKED, (route) => {
      if (stage === 0) return route.fulfill({ status: 503, json: { title: 'Not counted', detail: error } })
      if (stage === 2) return route.continue()
      return route.fulfill({ json: { ...unread, scan_meta: { ...meta, status: { ...status, progress } } } })
    })
    await page.route('**/api/rescan', (route) => {
      stage = 1
      return route.continue()
    })
    await page.keyboard.press('3')
    const alert = page.getByRole('alert').filter({ hasText: `could not be counted. ${error}` })
    await alert.getByRole('button', { name: 'Try again' }).click()
    await alert.getByText('Counting again').waitFor()
    await page.getByRole('progressbar', { name: 'Read 3 of 9 sessions' }).waitFor()
    stage = 2
    await eventually(() => page.getByRole('article').count()).toBe(60)
    expect(await page.getByRole('alert').count()).toBe(0)
    // The browser itself complains of what is refused.
    await pages.closeUnheard()
  })

  it('that finds none of the sessions that were chosen leaves the others in reach', async () => {
    const whole = await counted(daemon)
    const page = await open('/settings')
    const scan_meta = { ...whole.scan_meta, sessions_total: 0 }
    await page.route(/source=hermes&wait=0/, (route) =>
      route.fulfill({ json: { ...whole, view: 'hermes', unlocked_count: 0, scan_meta } }),
    )
    await page.keyboard.press('3')
    await page.locator('label', { hasText: 'Hermes only' }).click()
    await page.getByText('No session of Hermes was found yet.').waitFor()
    expect(await axe(page)).toEqual([])
    await page.locator('label', { hasText: 'All sources' }).click()
    await eventually(() => page.getByRole('article').count()).toBe(60)
  })

  it('that fails leaves what was counted before, with its age, and another try', async () => {
    const whole = await counted(daemon)
    const page = await open('/settings')
    const bodies: unknown[] = []
    const broken = {
      ...whole,
      generated_at: Date.now() / 1_000 - 900,
      error: 'The database is locked.',
      scan_meta: { ...whole.scan_meta, status: { ...whole.scan_meta.status, state: 'failed' } },
    }
    let shown: object = broken
    await page.route(ASKED, (route) => route.fulfill({ json: shown }))
    await page.route('**/api/rescan', (route: Route) => {
      bodies.push(route.request().postDataJSON())
      return route.continue()
    })
    await page.keyboard.press('3')
    const alert = page.getByRole('alert').filter({ hasText: 'The database is locked.' })
    await alert.getByText('What is shown is from 15 min ago.').waitFor()
    expect(await page.getByRole('article').count()).toBe(60)
    expect(await axe(page)).toEqual([])
    await alert.getByRole('button', { name: 'Try again' }).click()
    await eventually(() => bodies).toEqual([{ full: false, source: 'all' }])
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Read everything again' }).click()
    await eventually(() => bodies.at(-1)).toEqual({ full: true, source: 'all' })
    const { scan_meta: meta } = whole
    shown = { ...whole, is_stale: true, scan_meta: { ...meta, error: 'One database is damaged.' } }
    await page.getByRole('button', { name: 'Rescan' }).click()
    await page.getByText('Some sessions could not be counted. One database is damaged.').waitFor()
  })

  it('is asked for once, however fast someone comes and goes', async () => {
    await counted(daemon)
    const page = await open('/')
    const asked: string[] = []
    page.on('request', (request) => ASKED.test(request.url()) && asked.push(request.url()))
    page.on('requestfailed', (request) => ASKED.test(request.url()) && asked.pop())
    for (const key of ['3', '2', '3', '1', '3', '2', '3']) await page.keyboard.press(key)
    await eventually(() => page.getByRole('article').count()).toBe(60)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'Achievements' }).click()
    await eventually(() => page.getByRole('article').count()).toBe(60)
    expect(asked).toEqual([`${daemon.address}/api/achievements?source=all&wait=0`])
    await page.goto(`${daemon.address}/achievements`)
    await eventually(() => page.getByRole('article').count()).toBe(60)
    expect(asked).toHaveLength(2)
  })
})

describe('what is unlocked', () => {
  it('is said as it happens, on any page, and shown from there', async () => {
    await counted(daemon)
    const page = await open('/')
    await addBusySession(home, BUSIER, 520)
    await counted(daemon)
    const notice = page.getByRole('region', { name: 'Notices' })
    await notice
      .getByText(/^Unlocked /)
      .first()
      .waitFor()
    await notice.getByRole('button', { name: 'Show' }).first().click()
    await eventually(() => page.url()).toContain('/achievements?sort=newest')
    await card(page, 'Let Him Cook').getByText('Silver', { exact: true }).waitFor()
  })

  it('is taken away when someone confirms it, and counted anew', async () => {
    const { unlocked_count: before } = await counted(daemon)
    const page = await open('/achievements')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Reset achievements' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reset achievements' })
    await dialog.getByText('This cannot be undone.').waitFor()
    await dialog.getByRole('button', { name: 'Reset', exact: true }).click()
    await page.getByText(`Removed ${before} unlocks. Counting anew`).waitFor()
    await page.getByRole('img', { name: `${before} of 60 unlocked` }).waitFor()
  })
})

describe('in every theme and width', () => {
  it('has nothing that a screen reader or a weak eye would stumble over', async () => {
    await counted(daemon)
    // A few of each state: that there are sixty of them makes no difference but time.
    const page = await open('/achievements?sort=name&category=Agent Autonomy')
    await followSystem(page)
    await card(page, 'Let Him Cook')
      .getByRole('button', { name: /^What counts/ })
      .click()
    await expectNothingInBothThemes(page, 'wide')
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(390)
    await expectNothingInBothThemes(page, 'narrow')
  })
})

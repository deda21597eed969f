import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, expectNothingInBothThemes, followSystem, goWithin } from './axe.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { answerLedger } from './ledger-answers.ts'
import { type LedgerReplies, ledgerReplies } from './ledger-replies.ts'
import { phone } from './live-kit.ts'
import { eventually, focused, usePages, type WindowOptions } from './page-kit.ts'

const pages = usePages()
let daemon: Daemon

beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(() => daemon?.stop())

const open = (path: string, options: WindowOptions = {}): Promise<Page> =>
  pages.open(daemon, path, { viewport: { width: 1440, height: 900 }, ...options })

/** The page as it is where the server says this. */
function openWith(
  replies: LedgerReplies,
  path: string,
  options: WindowOptions & { readonly failing?: readonly string[] } = {},
): Promise<Page> {
  const { failing, ...rest } = options
  return open(path, { ...rest, first: (page) => answerLedger(page, replies, failing) })
}

const block = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const rows = (page: Page) => page.locator('tbody tr[id^=ledger-]')
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

describe('an empty ledger', () => {
  it('says that it fills as agents finish, and what to do', async () => {
    const page = await open('/ledger')
    await page.getByRole('heading', { name: 'Fills as agents finish' }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('link', { name: 'See what was found on this computer' }).click()
    await eventually(() => heading(page)).toBe('Settings')
  })
})

describe('the overview', () => {
  it('goes from each bar to its sessions by arrows, and says its figures', async () => {
    const page = await openWith(ledgerReplies(Date.now()), '/ledger')
    const bars = block(page, 'Cost by day').getByRole('link')
    await eventually(() => bars.count()).toBe(30)
    await bars.last().focus()
    await page.keyboard.press('ArrowLeft')
    expect((await focused(page))?.name).toMatch(/^\d+ \w+: \$\d+\.\d\d, opus \$.*, sonnet \$.*, haiku \$/)
    expect((await focused(page))?.ringed).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('grid', { name: 'Costs by session' }).waitFor()
    expect(page.url()).toMatch(/from=(\d{4}-\d\d-\d\d)&to=\1/)
  })

  it('leads from every mark to its evidence', async () => {
    const page = await openWith(ledgerReplies(Date.now()), '/ledger')
    const hrefs = async (name: string) =>
      block(page, name)
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => decodeURIComponent(link.getAttribute('href') ?? '')))
    await block(page, 'Budgets').getByText('$71.20').waitFor()
    for (const href of (await hrefs('Said and took')).filter((one) => !one.includes('/ledger')))
      expect(href).toMatch(/^\/sessions\?session=claude-code~[^&]+&n=\d+$/)
    expect(await hrefs('Outcome by agent type')).toContain('/ledger?tab=agents&type=port&outcome=partial')
    expect((await hrefs('Claims to look at')).length).toBeGreaterThan(5)
    expect(await block(page, 'Claims to look at').getByText('holds: ').count()).toBe(0)
    expect((await hrefs('Says done, is not')).every((href) => href.includes('n=212'))).toBe(true)
    await block(page, 'Outcome by agent type').getByRole('link', { name: 'port: 2 partial' }).click()
    await eventually(() => page.url()).toContain('type=port')
  })

  it('shows what a review of the skills would do, does it on a click, and takes it back', async () => {
    const page = await openWith(ledgerReplies(Date.now()), '/ledger')
    const orders: unknown[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/skills/review')) orders.push(request.postDataJSON())
    })
    await page.getByRole('button', { name: 'Review changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Review skills' })
    await dialog.getByText('Moves to /home/dev/.claude/skills/_archive/scrape-docs.').waitFor()
    expect(orders).toEqual([{ apply: false }])
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Apply 2 changes' }).click()
    await page.getByText('Applied 2 changes').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Taken back').waitFor()
    expect(orders).toEqual([{ apply: false }, { apply: true }, { undo: true }])
  })

  it('says what failed in its own place alone, and tries that again', async () => {
    const failing = ['costs', 'budgets']
    const page = await openWith(ledgerReplies(Date.now()), '/ledger', { failing })
    const alert = block(page, 'Budgets').getByRole('alert')
    await alert.filter({ hasText: 'The ledger is locked. Try again in a moment.' }).waitFor()
    await block(page, 'Skills').getByText('fix-flaky').waitFor()
    expect(await page.getByRole('alert').count()).toBe(2)
    failing.splice(0)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await block(page, 'Budgets').getByText('atlas-api, week').waitFor()
    expect(await block(page, 'Cost by day').getByRole('alert').count()).toBe(1)
    await pages.closeUnheard()
  })

  it('says how far the history is read', async () => {
    const replies = ledgerReplies(Date.now())
    const reading = { state: 'running', done: 128, total: 412, problem: null } as const
    const page = await openWith({ ...replies, overview: { ...replies.overview, reading } }, '/ledger')
    await page.getByText('Reading 128 / 412').waitFor()
    await page.getByRole('progressbar', { name: 'Reading 128 / 412' }).waitFor()
  })

  it('says what is unknown as unknown, and never as nothing', async () => {
    const replies = ledgerReplies(Date.now())
    const nothing = {
      cost_micro_usd: 0,
      saved_micro_usd: 0,
      marked: 0,
      functional: 0,
      claims: 0,
      claims_checked: 0,
      claims_failed: 0,
    }
    const page = await openWith({ ...replies, overview: { ...replies.overview, ...nothing } }, '/ledger')
    await page.getByText('30 days · no price is known').waitFor()
    const figures = page.locator('dl').first().locator('dd')
    expect(await figures.allTextContents()).toEqual(['–', '–', '48', '–', '–'])
  })
})

describe('with hundreds of everything', () => {
  it('shows the first twenty, then all, and draws only what is in view', async () => {
    const page = await openWith(ledgerReplies(Date.now(), true), '/ledger?tab=agents')
    await eventually(() => rows(page).count()).toBe(20)
    await page.getByRole('button', { name: 'All 1,000' }).click()
    await eventually(() => page.getByRole('status').filter({ hasText: ' of 1,000' }).textContent()).toBe(
      '220 of 1,000',
    )
    await page.getByRole('grid').press('End')
    await eventually(async () => {
      await page.getByRole('grid').press('End')
      return page
        .getByRole('status')
        .filter({ hasText: /^1,000$/ })
        .count()
    }).toBe(1)
    expect(await rows(page).count()).toBeLessThan(60)
  })

  it('shows all also where they are asked for while the first are read anew', async () => {
    const page = await open('/ledger?tab=agents', {
      own: true,
      first: async (window) => {
        await window.clock.install()
        await answerLedger(window, ledgerReplies(Date.now(), true))
      },
    })
    await eventually(() => rows(page).count()).toBe(20)
    const read = Promise.withResolvers<void>()
    const held = page.waitForRequest(/\/api\/ledger\/agents/)
    await page.route(/\/api\/ledger\/agents/, (route) => read.promise.then(() => route.fallback()))
    await page.clock.fastForward(60_000)
    await held
    await page.getByRole('button', { name: 'All 1,000' }).click()
    read.resolve()
    await page.getByRole('status').filter({ hasText: '220 of 1,000' }).waitFor()
  })

  it('puts models and types that are many together', async () => {
    const page = await openWith(ledgerReplies(Date.now(), true), '/ledger?days=90')
    const legend = block(page, 'Cost by day').getByRole('list').first()
    await eventually(() => legend.getByRole('listitem').count()).toBe(9)
    await legend.getByText('budget $25 a day').waitFor()
    await legend.getByText('other').waitFor()
    await block(page, 'Outcome by agent type').getByText('+244 types').waitFor()
  })

  it('is worked by keys alone, and gives the focus back', async () => {
    const page = await openWith(ledgerReplies(Date.now(), true), '/ledger?tab=skills')
    await page.getByText('20 of 306').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Skill review-diff' }).waitFor()
    expect(page.url()).toContain('skill=review-diff')
    await page.keyboard.press('Escape')
    await eventually(async () => (await focused(page))?.name).toBe('Skills, those to act on first')
  })

  it('is saved as rows for a spreadsheet', async () => {
    const page = await openWith(ledgerReplies(Date.now()), '/ledger?tab=costs&by=project')
    const waits = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    expect((await waits).suggestedFilename()).toBe('panoptes-costs-by-project.csv')
  })
})

describe('in every theme and width', () => {
  const places = [
    ['/ledger', 'atlas-api, week'],
    ['/ledger?tab=agents&flagged=true', 'not borne out'],
    ['/ledger?tab=skills&skill=fix-flaky', 'Bash failed: Exit code 1'],
    ['/ledger?tab=claims', '37 and 4 in that call'],
    ['/ledger?tab=claims&view=calibration', /^opus said 5 min/],
    ['/ledger?tab=costs&by=model', 'claude-opus-4-8'],
    ['/ledger?tab=followups', 'take the old reader out'],
  ] as const

  for (const [width, options] of [
    ['wide', {}],
    ['narrow', phone],
  ] as const)
    it(`has nothing that a screen reader or a weak eye would stumble over, ${width}`, async () => {
      const page = await openWith(ledgerReplies(Date.now()), '/ledger', options)
      await followSystem(page)
      for (const [path, there] of places) {
        await goWithin(page, path)
        await page.getByText(there).first().waitFor({ state: 'attached' })
        await expectNothingInBothThemes(page, path)
        const wide = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth)
        expect({ path, wide }).toEqual({ path, wide: 0 })
      }
    })

  it('has a place for every page on a phone: four in the bar, the rest under More', async () => {
    const page = await openWith(ledgerReplies(Date.now()), '/ledger', phone)
    const bar = page.getByRole('navigation', { name: 'Pages' })
    await eventually(() => bar.getByRole('link').allTextContents()).toEqual([
      'Live1',
      'Sessions2',
      'Ledger5',
      'Chat7',
    ])
    await bar.getByRole('button', { name: 'More' }).click()
    const more = page.getByRole('dialog', { name: 'More pages' })
    await more.waitFor()
    expect(await axe(page)).toEqual([])
    await more.getByRole('link', { name: /^Templates/ }).click()
    await eventually(() => heading(page)).toBe('Templates')
    await more.waitFor({ state: 'detached' })
  })
})

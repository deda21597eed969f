import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, startDaemon } from './daemon.ts'
import {
  drawnSeqs,
  EVENTS,
  eventually,
  post,
  postDay,
  prompt,
  rows,
  stored,
  topSeq,
  usePages,
} from './page-kit.ts'

const MANY = 50_000
const pages = usePages()
let daemon: Daemon

beforeAll(async () => {
  daemon = await startDaemon()
  await postDay(daemon, MANY)
})
afterAll(() => daemon?.stop())

function open(query = ''): Promise<Page> {
  return pages.open(daemon, `${EVENTS}${query}`)
}

const lastSeq = async () => (await stored(daemon, 'limit=1')).last
const panel = (page: Page) => page.getByRole('complementary')
const scrollTo = (page: Page, part: number) =>
  page.getByRole('grid').evaluate((grid, to) => {
    grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * to
  }, part)

describe('filters', () => {
  it('find words anywhere in an event, in any case, and live ones too', async () => {
    const page = await open()
    await post(daemon, [prompt('Needle in the hay'), prompt('only hay')])
    await page.keyboard.press('/')
    await page.keyboard.type('nEEdle')
    await eventually(() => rows(page).count()).toBe(1)
    await post(daemon, [prompt('hay again'), prompt('another needle')])
    await eventually(() => rows(page).count()).toBe(2)
    expect(await rows(page).first().textContent()).toContain('another needle')
    await page.keyboard.press('Escape')
    await eventually(() => rows(page).count()).toBeGreaterThan(10)
  })

  it('show the same as the server says, for kinds and failures', async () => {
    const page = await open()
    await page.getByRole('button', { name: /^Kinds/ }).click()
    await page.getByRole('menuitemcheckbox', { name: /^tool_done/ }).click()
    await page.getByRole('menuitemcheckbox', { name: /^agent_done/ }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Only failed' }).click()
    const expected = await stored(daemon, 'kind=tool_done,agent_done&failed=1&limit=20')
    await eventually(async () => (await drawnSeqs(page)).slice(0, 20)).toEqual(
      expected.events.map((event) => event.seq),
    )
    expect(page.url()).toContain('failed=true')
    expect(await page.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe(
      '/api/export?kind=tool_done%2Cagent_done&failed=1',
    )
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await eventually(() => topSeq(page)).toBe(await lastSeq())
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => (await drawnSeqs(page))[0]).toBe(expected.events[0]?.seq)
  })

  it('are read on as far as someone scrolls', async () => {
    const page = await open('?kind=usage')
    await rows(page).first().waitFor()
    const expected = await stored(daemon, 'kind=usage&limit=700')
    await eventually(async () => {
      await scrollTo(page, 1)
      return (await drawnSeqs(page)).some((seq) => seq < (expected.events.at(-1)?.seq ?? 0))
    }).toBe(true)
    const seqs = await drawnSeqs(page)
    const same = await stored(daemon, `kind=usage&before=${(seqs[0] ?? 0) + 1}&limit=${seqs.length}`)
    expect(seqs).toEqual(same.events.map((event) => event.seq))
  })

  it('say so when nothing matches, and can be cleared', async () => {
    const page = await open('?text=nobody-ever-said-this')
    await page.getByRole('heading', { name: 'No event matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rows(page).first().waitFor()
  })
})

describe('a long list', () => {
  it(`scrolls over all ${MANY} rows and draws only those in view`, async () => {
    const page = await open()
    await rows(page).first().waitFor()
    const last = await lastSeq()
    expect(Number(await page.getByRole('grid').getAttribute('aria-rowcount'))).toBe(last + 1)
    await eventually(async () => {
      await scrollTo(page, 0.5)
      return Math.abs((await topSeq(page)) - last / 2)
    }).toBeLessThan(60)
    await page.locator('tbody tr td:nth-child(7)').first().waitFor()
    await eventually(async () => {
      await scrollTo(page, 1)
      return (await drawnSeqs(page)).at(-1)
    }).toBe(1)
    await page.locator('#event-1').getByText('session_start').waitFor()
    expect(await rows(page).count()).toBeLessThan(80)
    expect(await page.locator('#event-1').getAttribute('aria-rowindex')).toBe(String(last + 1))
  })

  it('keeps its place while events arrive, and says how many', async () => {
    const page = await open()
    await rows(page).first().waitFor()
    await scrollTo(page, 0.3)
    const top = await eventuallyStill(page)
    await post(daemon, [prompt('one'), prompt('two'), prompt('three')])
    await page.getByRole('button', { name: '3 newer' }).waitFor()
    expect(await topSeq(page)).toBe(top)
    await page.getByRole('button', { name: '3 newer' }).click()
    await eventually(() => rows(page).first().textContent()).toContain('“three”')
  })

  it('is opened at an event that its address names', async () => {
    const page = await open('?event=20000')
    await page.locator('#event-20000').waitFor()
    expect(await drawnSeqs(page)).toContain(20_000)
    await panel(page).getByText('#20,000').first().waitFor()
  })

  it.each([
    ['it was busy', { status: 503, json: { code: 'busy', detail: 'Busy.' } }],
    ['a connection broke', null],
  ])('reads by itself what could not be read while %s, though the stream went on', async (_, answer) => {
    const page = await pages.open(daemon, EVENTS, { own: true })
    await rows(page).first().waitFor()
    let isAway = true
    await page.route('**/api/events?*', (route) => {
      if (!isAway) return route.continue()
      return answer === null ? route.abort() : route.fulfill(answer)
    })
    await scrollTo(page, 0.5)
    await page.getByText('Some rows could not be read.').waitFor()
    isAway = false
    await page.getByText('Some rows could not be read.').waitFor({ state: 'detached' })
    await page.locator('tbody tr td:nth-child(7)').first().waitFor()
    await pages.closeUnheard()
  })
})

async function eventuallyStill(page: Page): Promise<number> {
  let before = -1
  await eventually(async () => {
    const now = await topSeq(page)
    const still = now === before
    before = now
    return still
  }).toBe(true)
  return before
}

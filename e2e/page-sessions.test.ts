import type { PastSession } from '@panoptes/schema'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { axe } from './axe.ts'
import type { TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { eventually, openAt, rows, usePages } from './page-kit.ts'
import { homeWithTranscripts, sayIn } from './transcripts-home.ts'

const PARALLEL = '/sessions?session=claude-code~ea691ccd-8a96-4a2d-838e-68211d44554b'
const pages = usePages()
let home: TestHome
let daemon: Daemon

beforeAll(async () => {
  home = await homeWithTranscripts()
  daemon = await startDaemon({ home })
  await vi.waitFor(async () => expect(await sessions()).toHaveLength(6), { timeout: 60_000, interval: 200 })
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
})

const sessions = async () =>
  (await (await daemon.request('/api/past/sessions')).json()) as readonly PastSession[]

function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  return pages.open(daemon, path, { viewport: { width: 1440, height: 900 }, ...options })
}

const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript' })

describe('the list of sessions', () => {
  it('shows what agents left behind, the newest first, and what comes while it is open', async () => {
    const page = await open('/sessions')
    await eventually(() => rows(page).count()).toBe(6)
    await eventually(() => rows(page).filter({ hasText: 'RUN:parallel' }).textContent()).toMatch(
      /RUN:parallel.*notes.*claude-code.*claude-opus-4-8.*25.*10.*✕ 2.*\$0\.014/,
    )
    expect(await axe(page)).toEqual([])
    const say = (content: string) => sayIn(home, 'fresh.jsonl', content)
    await say('A fresh quince')
    await eventually(() => rows(page).first().textContent()).toContain('A fresh quince')
    await rows(page).first().click()
    await transcript(page).getByText('End of the session: 1 message').waitFor()
    await say('And a medlar')
    await page.locator('#message-1').getByText('And a medlar').waitFor()
  })

  it('says how far the index is, and what could not be read', async () => {
    const page = await open('/sessions')
    const status = { total: 4_000, problem: null }
    await page.route('**/api/past/status', (route) =>
      route.fulfill({
        json: [
          { ...status, source: 'claude-code', state: 'running', done: 120 },
          { ...status, source: 'hermes', state: 'failed', done: 0, problem: 'The disk is gone.' },
        ],
      }),
    )
    await page.reload()
    await page.getByRole('progressbar', { name: 'Reading 120 of 4,000 sessions' }).waitFor()
    const alert = page.getByRole('alert').filter({ hasText: 'The disk is gone.' })
    await alert.getByRole('link', { name: 'Check health' }).waitFor()
    await eventually(() => rows(page).count()).toBeGreaterThan(4)
  })

  it('is narrowed by filters that are in its address', async () => {
    const page = await open('/sessions')
    await page.getByRole('button', { name: /^Project/ }).click()
    await page.getByRole('menuitemcheckbox', { name: /^notes/ }).click()
    await page.getByRole('button', { name: 'Has error' }).click()
    await eventually(() => rows(page).count()).toBe(3)
    expect(page.url()).toMatch(/project=notes.*errors=true/)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name: /^Tool/ }).click()
    await page.getByRole('menuitemcheckbox', { name: /^Agent/ }).click()
    await eventually(() => rows(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByLabel('Name', { exact: true }).fill('With agents')
    await page.getByRole('button', { name: 'Save these filters' }).click()
    await page.goto(`${daemon.address}/sessions?cost=20`)
    await page.getByRole('heading', { name: 'No session matches' }).waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name: 'Saved' }).click()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'With agents' })
      .getByRole('button', { name: 'Use' })
      .click()
    await eventually(() => rows(page).count()).toBe(1)
    expect(page.url()).toMatch(/project=notes.*tool=Agent/)
    await page.goto(`${daemon.address}/sessions?model=nobody`)
    await page.getByRole('heading', { name: 'No session matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(() => rows(page).count()).toBeGreaterThan(4)
  })

  it('is worked by keys alone', async () => {
    const page = await open('/sessions?project=notes&errors=true')
    await eventually(() => rows(page).count()).toBe(3)
    await page.getByRole('grid').focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await transcript(page).getByRole('heading', { name: 'RUN:parallel' }).waitFor()
    await page.keyboard.press('Escape')
    await transcript(page).waitFor({ state: 'detached' })
    for (const key of ['k', 'Enter']) await page.keyboard.press(key)
    await transcript(page).getByRole('heading', { name: 'RUN:failure' }).waitFor()
    const marked = () => transcript(page).locator('[aria-current=true]').getAttribute('id')
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key)
    await eventually(marked).toBe('message-0')
    await page.keyboard.press('e')
    await eventually(() => page.url()).toMatch(/[?&]n=1(&|$)/)
    await eventually(marked).toBe('message-1')
    const call = transcript(page).locator('#message-1').getByRole('button').first()
    expect(await call.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('o')
    await eventually(() => call.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('/')
    expect(await page.getByLabel('Search in all sessions').evaluate((field) => field.matches(':focus'))).toBe(
      true,
    )
  })
})

describe('a transcript', () => {
  it('nests agents under the calls that made them, folded until they are opened', async () => {
    const page = await open(PARALLEL)
    const agent = transcript(page).getByRole('button', { name: /^Explore probe/ })
    await eventually(() => agent.textContent()).toMatch(
      /probe · claude-\S+ · sub-agent · .*tool calls.*2 errors.*\$0\.\d+/,
    )
    expect(await transcript(page).getByText('Task').count()).toBe(0)
    await agent.click()
    await eventually(() => transcript(page).getByText('Task', { exact: true }).count()).toBe(1)
    await eventually(() => transcript(page).getByText('failed', { exact: true }).count()).toBe(2)
    await transcript(page).getByText('End of the session: 25 messages').waitFor()
    expect(await axe(page)).toEqual([])
    await agent.click()
    await eventually(() => transcript(page).getByText('Task', { exact: true }).count()).toBe(0)
  })

  it('leads to its moment in Live, and is copied as Markdown', async () => {
    const page = await open(PARALLEL, { permissions: ['clipboard-read', 'clipboard-write'] })
    const copied = () => page.evaluate('navigator.clipboard.readText()')
    await transcript(page).getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'Copy as Markdown' }).click()
    await page.getByText('Copied 25 messages as Markdown').waitFor()
    expect(await copied()).toContain('# RUN:parallel\n')
    await transcript(page).getByRole('article').first().hover()
    await transcript(page).getByRole('button', { name: 'Copy this message as Markdown' }).first().click()
    await page.getByText('Copied 1 message as Markdown').waitFor()
    expect(await copied()).toMatch(/^## You · [\d:]+\n\nRUN:parallel$/)
    const saved = page.waitForEvent('download')
    await transcript(page).getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'Save as one HTML page' }).click()
    expect((await saved).suggestedFilename()).toMatch(/\.html$/)
    await transcript(page).getByRole('link', { name: 'Show in Live' }).click()
    await eventually(() => page.url()).toMatch(/\/\?session=claude-code%7Eea691ccd.*&at=\d+/)
  })

  it('tells what each step cost, leads there, and keeps what someone thinks of it', async () => {
    const page = await open(PARALLEL)
    const beside = page.getByRole('complementary', { name: 'What it took' })
    const steps = beside.getByRole('list', { name: 'Cost by step' }).getByRole('button')
    await eventually(() => steps.allTextContents()).toHaveLength(3)
    expect(await steps.last().getAttribute('aria-label')).toMatch(
      /^Step 3: \$0\.00\d, [\d,]+ tokens, \d tool calls/,
    )
    await steps.last().click()
    await eventually(() => page.url()).toMatch(/[?&]n=\d+/)
    await beside.getByLabel('Add a tag').fill('sundry')
    await page.keyboard.press('Enter')
    await beside.getByRole('button', { name: 'Remove the tag sundry' }).waitFor()
    await beside.getByLabel('Note', { exact: true }).fill('Three at once')
    await eventually(async () => (await sessions()).find(({ note }) => note !== null)).toMatchObject({
      tags: ['sundry'],
      note: 'Three at once',
    })
    await page.goto(`${daemon.address}/sessions?tag=sundry`)
    await eventually(() => rows(page).allTextContents()).toHaveLength(1)
    expect(await rows(page).first().textContent()).toContain('sundry')
  })

  it('is read where one looks, however long it is', async () => {
    const page = await open('/sessions?session=claude-code~long&n=2401')
    const place = () => page.locator('#message-2401').evaluate((one) => one.getBoundingClientRect().top)
    await eventually(place).toBeGreaterThan(100)
    await eventually(place).toBeLessThan(800)
    // What is above it takes less than was thought, and comes later: it stays in view for all that.
    await page.locator('#slot-main-23:not([data-unread])').waitFor({ state: 'attached' })
    await page.locator('#slot-main-20:not([data-unread])').waitFor({ state: 'attached' })
    expect(await place()).toBeGreaterThan(100)
    expect(await place()).toBeLessThan(800)
    expect(await page.locator('[data-entry]').count()).toBeLessThan(100)
    // What is above it is drawn as it comes near: the first on the page would be another one then.
    await transcript(page)
      .locator('[id^=slot-]')
      .filter({ has: page.locator('#message-2401') })
      .getByRole('button', { name: /^\d+ more tool calls · 0 failed/ })
      .first()
      .click()
    await page.keyboard.press('Escape')
    // A session that is still open would stay where it is read.
    await transcript(page).waitFor({ state: 'detached' })
    await rows(page).filter({ hasText: 'A long session' }).click()
    await page.locator('#message-0').getByText('A long session').waitFor()
    await transcript(page)
      .getByRole('button', { name: /^Bash make part-1 / })
      .waitFor()
    expect(await page.locator('#message-2401').count()).toBe(0)
  })

  it('is forgotten when someone asks for it, and told what went', async () => {
    await sayIn(home, 'regretted.jsonl', 'A regretted session')
    const page = await open('/sessions')
    await rows(page).filter({ hasText: 'A regretted session' }).click()
    await page.locator('#message-0').getByText('A regretted session').waitFor()
    await page.getByRole('button', { name: 'Forget this session' }).click()
    await page.getByRole('button', { name: 'Forget it' }).click()
    const told = page.getByRole('dialog', { name: 'Forgotten' })
    await told.getByText('messages in the index: 1', { exact: true }).waitFor()
    expect(await axe(page)).toEqual([])
    await told.getByText('Close', { exact: true }).click()
    await transcript(page).waitFor({ state: 'detached' })
    await eventually(() => rows(page).filter({ hasText: 'A regretted session' }).count()).toBe(0)
  })

  it('shows whatever was written as text, and runs none of it', async () => {
    const page = await open('/sessions?session=claude-code~hostile')
    await page.locator('#message-0').getByText('‹U+001B›[2J ‹U+202E›txt.exe').waitFor()
    await page.keyboard.press('O')
    await transcript(page).getByText('const b = 2').waitFor()
    await transcript(page).getByText('a thought').waitFor()
    await transcript(page)
      .getByRole('button', { name: /^Show [\d,]+ more characters/ })
      .first()
      .click()
    await transcript(page)
      .getByRole('button', { name: /^Read the other [\d,]+ characters/ })
      .click()
    await transcript(page).getByRole('button', { name: 'Show 50,000 more characters' }).waitFor()
    await transcript(page)
      .getByText(/could not be read and are left out.*hostile\.jsonl:2/)
      .waitFor()
    await transcript(page).getByText('Image, image/svg+xml, 6 B: not shown').waitFor()
    expect(await page.locator('main img, main script, main iframe').count()).toBe(0)
    expect(await page.title()).toMatch(/Sessions · Panoptes$/)
    expect(await axe(page)).toEqual([])
  })

  it('says so when there is none', async () => {
    const one = await openAt(daemon, '/sessions?session=claude-code~none')
    await one.page.getByRole('alert').filter({ hasText: 'There is no session none' }).waitFor()
    await one.close()
  })
})

describe('search', () => {
  it('finds words as they are typed, and opens the transcript there', async () => {
    const page = await open('/sessions')
    await page.keyboard.press('/')
    await page.keyboard.type('echo merged')
    const hits = page.getByRole('list', { name: 'Found messages' })
    await eventually(() => hits.locator('mark').allTextContents()).toEqual(['echo', 'merged'])
    expect(await hits.getByRole('listitem').first().textContent()).toMatch(/1 hit/)
    await hits.getByRole('button').first().click()
    await transcript(page).locator('mark').first().waitFor()
    expect(page.url()).toMatch(/q=echo.*n=5/)
    await page.getByLabel('Search in all sessions').fill('nowhere-to-be-found')
    await page.getByText('No message has all of these words.').waitFor()
    await page.getByLabel('Search in all sessions').fill('made ')
    await page.getByText('First 50 in 1 session').waitFor()
    await hits.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('First 100 in 1 session').waitFor()
  })
})

describe('on a phone', () => {
  it('shows the list or a transcript, each in its width', async () => {
    const page = await open('/sessions', { viewport: { width: 390, height: 844 } })
    await rows(page).filter({ hasText: 'RUN:parallel' }).click()
    await transcript(page).getByRole('heading', { name: 'RUN:parallel' }).waitFor()
    expect(await page.getByRole('grid').isVisible()).toBe(false)
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(390)
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await page.getByRole('grid').waitFor()
  })
})

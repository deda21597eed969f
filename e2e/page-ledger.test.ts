import type { LedgerAgentsReply, LedgerClaimsReply, LedgerOverview, SkillUsesReply } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { axe, expectNothingInBothThemes, followSystem, goWithin } from './axe.ts'
import type { TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { answerLedger } from './ledger-answers.ts'
import { type LedgerReplies, ledgerReplies } from './ledger-replies.ts'
import { phone } from './live-kit.ts'
import { eventually, focused, post, usePages, type WindowOptions } from './page-kit.ts'
import { homeWithTranscripts } from './transcripts-home.ts'

const pages = usePages()
let home: TestHome
let daemon: Daemon

const ask = async <T>(path: string): Promise<T> => (await (await daemon.request(path)).json()) as T

beforeAll(async () => {
  home = await homeWithTranscripts()
  daemon = await startDaemon({ home })
  const read = async () => {
    const { reading, claims } = await ask<LedgerOverview>('/api/ledger/overview')
    return reading.state === 'idle' && claims > 0
  }
  await vi.waitFor(async () => expect(await read()).toBe(true), { timeout: 60_000, interval: 100 })
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
})

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
const tab = (page: Page, name: RegExp | string) => page.locator('label').filter({ hasText: name })

describe('what recorded sessions amounted to', () => {
  it('is one key away, tab by tab, and the address says where one is', async () => {
    const page = await open('/settings')
    await page.keyboard.press('5')
    await eventually(() => heading(page)).toBe('Ledger')
    await page.getByRole('button', { name: /^Span/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'All time' }).click()
    await eventually(() => page.url()).toContain('days=all')
    const { total } = await ask<LedgerAgentsReply>('/api/ledger/agents?limit=1')
    await page.locator('dl').getByText('agents', { exact: true }).waitFor()
    await tab(page, /^Agents$/).click()
    await eventually(() => page.url()).toMatch(/days=all.*tab=agents|tab=agents.*days=all/)
    await eventually(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(total + 1))
    await page.goBack()
    await block(page, 'Cost by day')
      .or(block(page, 'Cost by month'))
      .or(block(page, 'Cost by week'))
      .waitFor()
  })

  it('leads from an agent to the message in which it says how it ended', async () => {
    const { agents } = await ask<LedgerAgentsReply>('/api/ledger/agents?outcome=partial')
    const [agent] = agents
    if (agent?.said_at?.n == null) throw new Error('no recorded agent says that it is partial')
    const page = await open('/ledger?tab=agents&days=all&outcome=partial')
    await rows(page).first().click()
    const panel = page.getByRole('complementary')
    await panel.getByText(`${agent.stubs} stubs`).waitFor()
    await panel.getByRole('button', { name: 'Read the transcript' }).click()
    await page.getByRole('region', { name: 'Transcript' }).waitFor()
    expect(page.url()).toContain(`n=${agent.said_at.n}`)
  })

  it('shows every claim with what it stands on, and leads to where it was said', async () => {
    const { claims } = await ask<LedgerClaimsReply>('/api/ledger/claims')
    const page = await open('/ledger?tab=claims&days=all')
    await eventually(() => rows(page).count()).toBe(claims.length)
    const [first] = claims
    expect(await rows(page).first().textContent()).toContain(first?.value.replace(/^\W+/, ''))
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Read it in the transcript' }).click()
    await eventually(() => page.url()).toContain(`n=${first?.n}`)
  })

  it('is narrowed to one session that a link names, until that is taken away', async () => {
    const { agents } = await ask<LedgerAgentsReply>('/api/ledger/agents?limit=1')
    const id = agents[0]?.session_id ?? ''
    const only = await ask<LedgerAgentsReply>(`/api/ledger/agents?session=${id}`)
    const page = await open(`/ledger?tab=agents&days=all&session=claude-code~${id}`)
    const count = () => page.getByRole('grid').getAttribute('aria-rowcount')
    await eventually(count).toBe(String(only.total + 1))
    await page.getByRole('button', { name: `Session ${id}` }).click()
    const { total } = await ask<LedgerAgentsReply>('/api/ledger/agents?limit=1')
    await eventually(count).toBe(String(total + 1))
  })
})

describe('what only events know of', () => {
  it('leads to its moment in Live, and what was recorded by the command to its events', async () => {
    const at = Date.now() - 60_000
    const call = {
      source: 'workshop',
      session_id: 'bench-1',
      agent_id: 'main',
      tool: 'Bash',
      tool_use_id: 't1',
    }
    await post(daemon, [
      { ...call, event: 'prompt', ts: at - 2_000, prompt_preview: 'sand the table' },
      { ...call, event: 'tool_use', ts: at - 1_000 },
      { ...call, event: 'tool_done', ts: at - 500, success: true },
      { ...call, event: 'skill_use', ts: at, skill: 'sanding', success: true, id: 'k1' },
    ])
    await daemon.request('/api/ledger/skill-uses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ skill: 'planing', success: true }),
    })
    const used = async (skill: string) =>
      (await ask<SkillUsesReply>(`/api/ledger/skill-uses?skill=${skill}`)).total
    await eventually(async () => [await used('sanding'), await used('planing')]).toEqual([1, 1])
    const page = await open('/ledger?tab=skills&skill=sanding')
    await page
      .getByRole('complementary')
      .getByRole('link', { name: /worked/ })
      .click()
    await eventually(() => heading(page)).toBe('Live')
    expect(page.url()).toContain(`at=${at}`)
    await page.goto(`${daemon.address}/ledger?tab=skills&skill=planing`)
    await page
      .getByRole('complementary')
      .getByRole('link', { name: /worked/ })
      .click()
    await eventually(() => heading(page)).toBe('Events')
    await page.getByRole('grid').getByText('planing').first().waitFor()
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

describe('an empty ledger', () => {
  it('says that it fills as agents finish, and what to do', async () => {
    const empty = await startDaemon()
    try {
      const page = await pages.open(empty, '/ledger')
      await page.getByRole('heading', { name: 'Fills as agents finish' }).waitFor()
      expect(await axe(page)).toEqual([])
      await page.getByRole('link', { name: 'See what was found on this computer' }).click()
      await eventually(() => heading(page)).toBe('Settings')
    } finally {
      await pages.closeUnheard()
      await empty.stop()
    }
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

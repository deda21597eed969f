import { describe, expect } from 'vitest'
import { readFocus } from '../testing/browser.ts'
import {
  axeViolations,
  eventually,
  expectAccessible,
  it,
  page,
  pressNow,
  userEvent,
} from '../testing/page.tsx'
import { me } from '../testing/replies.ts'
import { budget, costRow } from './ledger.test-kit.ts'
import { ledgerMonth } from './ledger-month.test-kit.ts'
import { answerLedger } from './ledger-server.test-kit.ts'

const block = (name: string) => page.getByRole('region', { name, exact: true })

const hrefs = (name: string): readonly string[] =>
  [...block(name).element().querySelectorAll('a')].map((link) =>
    decodeURIComponent(link.getAttribute('href') ?? ''),
  )

const LOCKED = { detail: 'The ledger is locked.', next: 'Try again in a moment.' }

describe('The overview of the ledger', () => {
  it('explains an empty ledger and links to the sources', async ({ server, open }) => {
    const { overview } = ledgerMonth(Date.now())
    const nothing = { sessions: 0, agents: 0, claims: 0, followups: 0, flagged: [] }
    server
      .on('GET /api/ledger/overview', { ...overview, ...nothing })
      .on('GET /api/ledger/skills', { window_days: 30, skills: [] })
      .on('GET /api/ledger/claims', { total: 0, claims: [] })
      .on('GET /api/ledger/outcomes', [])
      .on('GET /api/ledger/calibration', { rows: [], points: [], open: 0 })
    await open('/ledger')
    await expect.element(page.getByRole('heading', { name: 'No outcomes yet' })).toBeVisible()
    await expect
      .element(page.getByRole('link', { name: 'See what Panoptes found on this computer' }))
      .toHaveAttribute('href', '/settings#sources')
    await expectAccessible()
  })

  it('shows the totals of the month and requests only its thirty days', async ({ server, open }) => {
    const month = ledgerMonth(Date.now())
    answerLedger(server, {
      ...month,
      overview: {
        ...month.overview,
        ...{ cost_micro_usd: 312_400_000, saved_micro_usd: 406_120_000 },
        ...{ outside_micro_usd: 41_500_000, outside_unknown: 3 },
      },
    })
    await open('/ledger')
    const figures = () => [...document.querySelectorAll('main dl dd')].map((one) => one.textContent)
    await eventually(figures).toEqual(['$312.40', '$41.50', '$406.12', '48', '87 %', '2 of 7'])
    await expect.element(page.getByText('outside transcripts · unknown for 3 sessions')).toBeVisible()
    const since = server.requestsTo('GET /api/ledger/overview').at(-1)?.query.get('since')
    const midnight = new Date()
    midnight.setHours(0, 0, 0, 0)
    midnight.setDate(midnight.getDate() - 29)
    expect(since).toBe(midnight.toISOString())
  })

  it('shows unknown totals as a dash and never as zero', async ({ server, open }) => {
    const month = ledgerMonth(Date.now())
    const unknown = {
      cost_micro_usd: 0,
      saved_micro_usd: 0,
      marked: 0,
      functional: 0,
      claims: 0,
      claims_checked: 0,
      claims_failed: 0,
      outside_micro_usd: 0,
      outside_unknown: 12,
    }
    answerLedger(server, { ...month, overview: { ...month.overview, ...unknown } })
    await open('/ledger')
    await expect.element(page.getByText('30 days · unpriced')).toBeVisible()
    const figures = [...document.querySelectorAll('main dl dd')].map((one) => one.textContent)
    expect(figures).toEqual(['–', '–', '–', '48', '–', '–'])
    await expect.element(page.getByText('outside transcripts · not reported by any client')).toBeVisible()
  })

  it('moves between bars with arrow keys and opens the sessions of a day', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    await open('/ledger')
    const bars = block('Cost by day').getByRole('link')
    await eventually(() => bars.elements().length).toBe(30)
    const last = bars.elements().at(-1) as HTMLElement
    last.focus()
    await userEvent.keyboard('{ArrowLeft}')
    expect(readFocus()?.name).toMatch(/^\d+ \w+: \$\d+\.\d\d, opus \$.*, sonnet \$.*, haiku \$/)
    expect(readFocus()?.hasRing).toBe(true)
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('grid', { name: 'Costs by session' })).toBeVisible()
    await expect.poll(() => location.search).toMatch(/from=(\d{4}-\d\d-\d\d)&to=\1/)
    const [, day] = /from=([\d-]+)/.exec(location.search) ?? []
    await eventually(() =>
      server
        .requestsTo('GET /api/ledger/costs')
        .filter(({ query }) => query.get('by') === 'session')
        .map(({ query }) => query.get('since')),
    ).toContain(new Date(`${day}T00:00:00`).toISOString())
  })

  it('shows an unpriced budget as a dash and never as zero', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    server.on('GET /api/ledger/budgets', [
      budget({ cost_unknown: 2 }),
      budget({ name: 'Unpriced', spent_micro_usd: 0, cost_unknown: 7 }),
    ])
    await open('/ledger')
    await expect.element(block('Budgets').getByText('$14.82 + 2 unknown')).toBeVisible()
    await expect.element(block('Budgets').getByText('–', { exact: true })).toBeVisible()
  })

  it('links every mark to its evidence', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    await open('/ledger')
    await expect.element(block('Budgets').getByText('$71.20')).toBeVisible()
    await eventually(() => hrefs('Estimates and actuals').length).toBeGreaterThan(40)
    for (const href of hrefs('Estimates and actuals').filter((one) => !one.includes('/ledger')))
      expect(href).toMatch(/^\/sessions\?session=claude-code~[^&]+&n=\d+$/)
    await eventually(() => hrefs('Outcome by agent type')).toContain(
      '/ledger?tab=agents&type=port&outcome=partial',
    )
    await eventually(() => hrefs('Claims to review').length).toBeGreaterThan(5)
    expect(block('Claims to review').getByText('holds: ').elements()).toEqual([])
    await eventually(() => hrefs('Says done but isn’t').length).toBe(2)
    for (const href of hrefs('Says done but isn’t')) expect(href).toContain('n=212')
    await block('Outcome by agent type').getByRole('link', { name: 'port: 2 partial' }).click()
    await eventually(() => location.search).toContain('type=port')
  })

  it('shows a failure only in its own block and retries only that block', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    server.fail('GET /api/ledger/costs', 500, LOCKED).fail('GET /api/ledger/budgets', 500, LOCKED)
    await open('/ledger')
    const alert = block('Budgets').getByRole('alert')
    await expect.element(alert.getByText(/The ledger is locked\. Try again in a moment\./)).toBeVisible()
    await expect.element(block('Skills').getByText('fix-flaky')).toBeVisible()
    await expect.element(page.getByRole('alert')).toHaveLength(2)
    server.on('GET /api/ledger/budgets', ledgerMonth(Date.now()).budgets)
    pressNow(alert.getByRole('button', { name: 'Try again' }))
    await expect.element(block('Budgets').getByText('atlas-api, week')).toBeVisible()
    await expect.element(block('Cost by day').getByRole('alert')).toHaveLength(1)
  })

  it('shows the progress of reading the history and refreshes the totals', async ({
    server,
    open,
    passTime,
  }) => {
    const month = ledgerMonth(Date.now())
    const reading = { state: 'running', done: 128, total: 412, problem: null } as const
    answerLedger(server, { ...month, overview: { ...month.overview, reading } })
    await open('/ledger')
    await expect.element(page.getByText(/^Reading 128 \/ 412/)).toBeVisible()
    await expect.element(page.getByRole('progressbar', { name: 'Reading 128 / 412' })).toBeVisible()
    await expect.element(block('Skills').getByText('fix-flaky')).toBeVisible()
    const before = server.requestsTo('GET /api/ledger/skills').length
    server.on('GET /api/ledger/overview', month.overview)
    await eventually(() => {
      passTime(1_500)
      return page.getByRole('progressbar').elements().length
    }).toBe(0)
    await eventually(() => server.requestsTo('GET /api/ledger/skills').length).toBeGreaterThan(before)
  })

  it('leaves out models without replies or usage', async ({ server, open }) => {
    const month = ledgerMonth(Date.now())
    const opus = month.costs.filter(({ model }) => model?.includes('opus'))
    const day = opus.at(-1)?.name ?? ''
    const idle = [costRow(day, 0, { replies: 0 }), costRow(day, 0, { replies: 3 })]
    answerLedger(server, { ...month, costs: [...opus, ...idle] })
    await open('/ledger')
    const legend = block('Cost by day').getByRole('list').first()
    await expect.element(legend.getByText(/^opus/)).toBeVisible()
    expect(legend.element().textContent).not.toContain('unknown model')
  })

  it('combines the many models and types of a crowded quarter', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now(), { crowded: true }))
    await open('/ledger?days=90')
    const legend = block('Cost by day').getByRole('list').first()
    await eventually(() => legend.getByRole('listitem').elements().length).toBe(9)
    await expect.element(legend.getByText('budget $25 a day')).toBeVisible()
    await expect.element(legend.getByText(/^other/)).toBeVisible()
    await expect.element(block('Outcome by agent type').getByText('+244 types')).toBeVisible()
  })
})

describe('A review of the skills', () => {
  it('previews changes, applies them on a click and can undo them', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    await open('/ledger')
    const orders = () => server.requestsTo('POST /api/ledger/skills/review').map(({ body }) => body)
    await page.getByRole('button', { name: 'Review changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Review skills' })
    await expect
      .element(dialog.getByText('Moves to /home/dev/.claude/skills/_archive/scrape-docs.'))
      .toBeVisible()
    expect(new Set(orders().map((one) => JSON.stringify(one)))).toEqual(new Set(['{"apply":false}']))
    expect(await axeViolations()).toEqual([])
    const looked = orders().length
    await dialog.getByRole('button', { name: 'Apply 2 changes' }).click()
    await expect.element(page.getByText('Applied 2 changes')).toBeVisible()
    await eventually(() => dialog.elements().length).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.element(page.getByText('Undone')).toBeVisible()
    expect(orders().slice(looked)).toEqual([{ apply: true }, { undo: true }])
  })

  it('is hidden from a person without access to the skill files', async ({ server, open }) => {
    server.on('GET /api/me', me({ team: true, home: false }))
    answerLedger(server, ledgerMonth(Date.now()))
    await open('/ledger?tab=skills')
    await expect.element(page.getByRole('grid')).toBeVisible()
    await expect.element(page.getByRole('button', { name: 'Review changes' })).not.toBeInTheDocument()
  })
})

import { describe, expect, onTestFinished, vi } from 'vitest'
import { readFocus } from '../testing/browser.ts'
import { eventually, it, page, userEvent } from '../testing/page.tsx'
import { agent, claim, costRow, followUp, skill, skillUse } from './ledger.test-kit.ts'
import { ledgerMonth } from './ledger-month.test-kit.ts'
import { answerLedger } from './ledger-server.test-kit.ts'

const grid = () => page.getByRole('grid')
const drawnRows = () => [...document.querySelectorAll('tbody tr[id^=ledger-]')]
const manyAgents = Array.from({ length: 1_000 }, (_, n) => agent({ agent_id: `a${n}` }))
const panel = () => page.getByRole('complementary')

/** Saves the shown table and returns the file. */
async function savedCsv(): Promise<{ readonly name: string; readonly text: string }> {
  const saved: Promise<{ name: string; text: string }>[] = []
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    const { download, href } = this
    saved.push(
      fetch(href)
        .then((file) => file.text())
        .then((text) => ({ name: download, text })),
    )
  })
  onTestFinished(() => click.mockRestore())
  await page.getByRole('button', { name: 'Save as CSV' }).click()
  await eventually(() => saved.length).toBe(1)
  const [file] = await Promise.all(saved)
  if (!file) throw new Error('nothing was saved')
  return file
}

describe('The tabs of the ledger', () => {
  it('open with the key 5, keep the time range and are part of the address', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    await open('/')
    await userEvent.keyboard('5')
    await expect.element(page.getByRole('heading', { level: 1, name: 'Ledger' })).toBeVisible()
    await page.getByRole('button', { name: /^Time range/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'All time' }).click()
    await eventually(() => location.search).toBe('?days=all')
    await eventually(() => server.requestsTo('GET /api/ledger/overview').at(-1)?.query.has('since')).toBe(
      false,
    )
    const tabs = page.getByRole('group', { name: 'Ledger sections' })
    await tabs.getByText('Agents', { exact: true }).click()
    await eventually(() => [...new URLSearchParams(location.search)].sort()).toEqual([
      ['days', 'all'],
      ['tab', 'agents'],
    ])
    await expect.element(grid()).toHaveAttribute('aria-rowcount', '49')
    history.back()
    await expect.element(page.getByRole('region', { name: /^Cost by (day|week|month)$/ })).toBeVisible()
  })

  it('show the first twenty rows, then all of them, and render only visible ones', async ({
    server,
    open,
  }) => {
    answerLedger(server, { ...ledgerMonth(Date.now()), agents: manyAgents })
    await open('/ledger?tab=agents')
    await eventually(() => drawnRows().length).toBe(20)
    await page.getByRole('button', { name: 'All 1,000' }).click()
    await expect.element(page.getByRole('status').filter({ hasText: '220 of 1,000' })).toBeVisible()
    await eventually(async () => {
      ;(grid().element() as HTMLElement).focus()
      await userEvent.keyboard('{End}')
      return page
        .getByRole('status')
        .filter({ hasText: /^1,000$/ })
        .elements().length
    }).toBe(1)
    expect(drawnRows().length).toBeLessThan(60)
    const offsets = server
      .requestsTo('GET /api/ledger/agents')
      .map(({ query }) => Number(query.get('offset')))
    expect([...new Set(offsets)]).toEqual([0, 20, 220, 420, 620, 820])
  })

  it('show all rows even when they are requested during a refetch', async ({ server, open, passTime }) => {
    answerLedger(server, { ...ledgerMonth(Date.now()), agents: manyAgents })
    await open('/ledger?tab=agents')
    await eventually(() => drawnRows().length).toBe(20)
    const held = Promise.withResolvers<void>()
    server.on('GET /api/ledger/agents', async ({ query }) => {
      await held.promise
      const offset = Number(query.get('offset'))
      const agents = manyAgents.slice(offset, offset + Number(query.get('limit')))
      return { total: manyAgents.length, agents }
    })
    const before = server.requestsTo('GET /api/ledger/agents').length
    await eventually(() => {
      passTime(15_000)
      return server.requestsTo('GET /api/ledger/agents').length
    }).toBeGreaterThan(before)
    await page.getByRole('button', { name: 'All 1,000' }).click()
    held.resolve()
    await expect.element(page.getByRole('status').filter({ hasText: '220 of 1,000' })).toBeVisible()
  })

  it('support the keyboard and return the focus to the table', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now(), { crowded: true }))
    await open('/ledger?tab=skills')
    await expect.element(page.getByText('20 of 306')).toBeVisible()
    await userEvent.keyboard('jj{Enter}')
    await expect.element(page.getByRole('complementary', { name: 'Skill review-diff' })).toBeVisible()
    await expect.poll(() => location.search).toContain('skill=review-diff')
    await userEvent.keyboard('{Escape}')
    await eventually(() => readFocus()).toEqual({
      name: 'Skills, with those that need action first',
      hasRing: true,
    })
    await expect.poll(() => location.search).not.toContain('skill=')
  })

  it('can be saved as CSV', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    server.on('GET /api/ledger/costs', [
      costRow('atlas', 12_000_000, { sessions: 4, replies: 9 }),
      costRow('=HYPERLINK("http://x")', 1_500_000),
      costRow('silent', 0, { cost_unknown: 1, usage_unknown: 2, outside_micro_usd: 0, outside_unknown: 3 }),
      costRow('known', 12, { outside_micro_usd: 250_000, outside_unknown: 1 }),
    ])
    await open('/ledger?tab=costs&by=project')
    const file = await savedCsv()
    expect(file.name).toBe('panoptes-costs-by-project.csv')
    const [, atlas, hostile, silent, known] = file.text.split('\r\n')
    expect(atlas).toBe('atlas,12,15.6,4,9,1000000,133333,6000000,600000,0,0,,')
    expect(hostile).toMatch(/^"'=HYPERLINK\(/)
    expect(silent).toBe('silent,,,3,40,,,,,1,2,,3')
    expect(known).toMatch(/,0\.25,1$/)
  })
})

describe('Rows of a CSV file', () => {
  const at = Date.UTC(2026, 10, 2, 3, 4, 5)
  const said = '2026-11-02T03:04:05.000Z'
  const month = {
    ...ledgerMonth(Date.now()),
    agents: [agent({ errors: 3, stubs: 2, cost_unknown: 1, last_at: at })],
    skills: [skill({ last_used: at })],
    claims: [
      claim({
        ts: at,
        evidence_tier: 'ESTIMATE-HTC',
        check: { verdict: 'fails', says: 'took longer', evidence: null },
        estimate: { quantity: 'duration', said: 300, took: 900 } as NonNullable<
          ReturnType<typeof claim>['estimate']
        >,
      }),
    ],
    followups: [followUp({ ts: at, agent_id: 'a9' })],
  }

  for (const [tab, cells] of [
    [
      'agents',
      {
        ...{
          agent_id: 'a1',
          type: 'port',
          project: 'atlas',
          model: 'claude-sonnet-4-6',
          outcome: 'functional',
        },
        ...{ stubs: '2', calls: '41', errors: '3', tokens_in: '41200', tokens_out: '9812' },
        ...{ cache_read: '812000', cache_write: '60100', cost_usd: '1.84', cost_unknown: '1' },
        ...{ duration_ms: '192000', ended: said },
      },
    ],
    [
      'skills',
      {
        ...{ skill: 'write-migration', uses: '64', judged: '64', successes: '62', rate: '0.97', low: '0.89' },
        ...{ high: '0.99', p50_ms: '1400', p95_ms: '9000', all_uses: '80', last_used: said },
        ...{ verdict: 'watching', reason: 'too few uses' },
      },
    ],
    [
      'claims',
      {
        ...{ message_id: 'm1', said, value: 'all 412 tests pass', tier: 'ESTIMATE-HTC', pointer: 'Bash' },
        ...{ check: 'fails', check_says: 'took longer', quantity: 'duration', estimated: '300', took: '900' },
      },
    ],
    ['followups', { agent_id: 'a9', type: 'port', project: 'atlas', said, text: 'take the old reader out' }],
  ] as const)
    it(`put each value of ${tab} under its own column name`, async ({ server, open }) => {
      answerLedger(server, month)
      await open(`/ledger?tab=${tab}&days=all`)
      const [heads = '', first = ''] = (await savedCsv()).text.split('\r\n')
      const values = first.split(',')
      expect(values).toHaveLength(heads.split(',').length)
      expect(Object.fromEntries(heads.split(',').map((name, i) => [name, values[i]]))).toMatchObject(cells)
    })
})

describe('Agents of the ledger', () => {
  it('show only the session in the link until that filter is removed', async ({ server, open }) => {
    const month = ledgerMonth(Date.now())
    answerLedger(server, { ...month, agents: [agent({ session_id: 'other' }), ...month.agents] })
    await open('/ledger?tab=agents&days=all&session=claude-code~other')
    await expect.element(grid()).toHaveAttribute('aria-rowcount', '2')
    const { query } = server.requestsTo('GET /api/ledger/agents').at(-1) ?? {}
    expect([query?.get('source'), query?.get('session')]).toEqual(['claude-code', 'other'])
    await page.getByRole('button', { name: 'Session other' }).click()
    await expect.element(grid()).toHaveAttribute('aria-rowcount', '50')
    await expect.poll(() => location.search).not.toContain('session=')
  })

  it('can be filtered by outcome, type and contradiction, and cleared at once', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    await open('/ledger?tab=agents&outcome=partial')
    await expect.element(grid()).toHaveAttribute('aria-rowcount', '10')
    await page.getByRole('button', { name: /^Type/ }).click()
    await page.getByRole('menuitemcheckbox', { name: /^explore/ }).click()
    await eventually(() => location.search).toContain('type=explore')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.element(grid()).toHaveAttribute('aria-rowcount', '49')
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(() => location.search).toContain('outcome=partial')
  })

  it('open a panel with their claims, costs and contradictions', async ({ server, open }) => {
    answerLedger(server, ledgerMonth(Date.now()))
    await open('/ledger?tab=agents&flagged=true')
    await eventually(() => drawnRows().length).toBe(1)
    await page.getByRole('row', { name: /Move the parser/ }).click()
    await expect.element(panel().getByText('0 stubs')).toBeVisible()
    await expect.element(panel().getByText('$1.84')).toBeVisible()
    await expect.element(panel().getByText('ran it against the recorded files')).toBeVisible()
    const flag = panel().getByRole('link', { name: /2 tests fail at step 212/ })
    await eventually(() => decodeURIComponent(flag.element().getAttribute('href') ?? '')).toMatch(
      /^\/sessions\?session=claude-code~.*&n=212$/,
    )
  })

  it('show unknown costs and tokens as unknown', async ({ server, open }) => {
    const unknown = { cost_micro_usd: null, tokens_in: null, tokens_out: null }
    answerLedger(server, { ...ledgerMonth(Date.now()), agents: [agent(unknown)] })
    await open('/ledger?tab=agents')
    await eventually(() => drawnRows().length).toBe(1)
    expect(drawnRows()[0]?.textContent).not.toContain('$')
    expect(drawnRows()[0]?.textContent).toContain('––')
  })

  it('show hostile text as text', async ({ server, open }) => {
    const hostile = '<img src=x onerror="document.title=1">\u202etxet'
    answerLedger(server, { ...ledgerMonth(Date.now()), agents: [agent({ description: hostile })] })
    await open('/ledger?tab=agents')
    await expect.element(page.getByRole('row', { name: /<img src=x/ })).toBeVisible()
    expect(document.querySelector('main img')).toBeNull()
    expect(document.title).toBe('Ledger · Panoptes')
  })
})

describe('Claims of the ledger', () => {
  it('show their text and link to the message in the transcript', async ({ server, open }) => {
    const claims = [claim({ n: 88 }), claim({ message_id: 'm2', value: '; about 40 lines', n: 90 })]
    answerLedger(server, { ...ledgerMonth(Date.now()), claims })
    await open('/ledger?tab=claims&days=all')
    await eventually(() => drawnRows().length).toBe(2)
    expect(drawnRows().map((row) => row.querySelector('td')?.textContent)).toEqual([
      '“all 412 tests pass”',
      '“about 40 lines”',
    ])
    await userEvent.keyboard('j{Enter}')
    const link = panel().getByRole('link', { name: 'Read in the transcript' })
    await expect.element(link).toHaveAttribute('href', '/sessions?session=claude-code%7Es1&n=88')
  })
})

describe('Uses of a skill', () => {
  it('link to their message, their moment in Live or the event of the command', async ({ server, open }) => {
    const at = Date.now() - 60_000
    const about = { source: 'workshop', session_id: 'bench-1', skill: 'sanding', ts: at }
    answerLedger(server, {
      ...ledgerMonth(Date.now()),
      skills: [skill({ skill: 'sanding' })],
      uses: [
        skillUse({ ...about, id: 'k1', n: 7 }),
        skillUse({ ...about, id: 'k2', n: null }),
        skillUse({ ...about, id: 'k3', n: null, how: 'recorded', source: 'panoptes' }),
      ],
    })
    await open('/ledger?tab=skills&skill=sanding')
    const uses = panel().getByRole('link', { name: /worked/ })
    await eventually(() => uses.elements().length).toBe(3)
    const hrefs = uses.elements().map((link) => decodeURIComponent(link.getAttribute('href') ?? ''))
    expect(hrefs[0]).toBe('/sessions?session=workshop~bench-1&n=7')
    expect(hrefs[1]).toContain(`at=${at}`)
    expect(hrefs[2]).toMatch(/^\/settings\/events\?/)
  })
})

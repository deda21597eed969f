import { describe, expect } from 'vitest'
import { readFocus } from '../../testing/browser.ts'
import { eventually, expectAccessible, go, it, page, userEvent } from '../../testing/page.tsx'
import { agent } from '../agents.test-kit.ts'
import { LiveServer, PHONE, panel, panelName, rows, shownAgents, table, WIDE } from '../live-page.test-kit.ts'

const row = (text: string) => table.getByRole('row').filter({ hasText: text }).first()
const text = () => rows().join('\n')

describe('the table of Live', () => {
  it('lists agents that need someone first, then every session as a tree', async ({ server, open }) => {
    new LiveServer(server)
    await open('/?view=table')
    await eventually(() =>
      [...table.element().querySelectorAll('tbody tr')].map((one) => one.getAttribute('aria-level')),
    ).toEqual(['1', '2', '1', '2', '3', '4', '3'])
    expect(rows()[0]).toContain('Needs you')
    expect(rows()[1]).toMatch(/writer.*allow Bash\?/)
    expect(rows()[4]).toContain('listed under Needs you')
    await expect.element(page.getByText('rows 1–7 of 7')).toBeVisible()
  })

  it('opens the agent of a row that is clicked', async ({ server, open }) => {
    new LiveServer(server)
    await open('/?view=table')
    await row('reader').click()
    await expect.element(panelName).toHaveTextContent('reader')
    expect(decodeURIComponent(location.search)).toBe('?view=table&agent=claude-code~s1~r')
  })

  it('supports arrow keys, j and k and marks the active row', async ({ server, open }) => {
    new LiveServer(server)
    await open('/?view=table')
    await eventually(() => rows().length).toBe(7)
    const element = table.element() as HTMLElement
    element.focus()
    await userEvent.keyboard('{ArrowDown}')
    await expect.element(panelName).toHaveTextContent('writer')
    await userEvent.keyboard('j')
    await expect.element(panelName).toHaveTextContent('main')
    await userEvent.keyboard('k')
    await expect.element(panelName).toHaveTextContent('writer')
    const active = () => document.getElementById(element.getAttribute('aria-activedescendant') ?? '')
    await eventually(() => active()?.getAttribute('aria-selected')).toBe('true')
    expect(readFocus()).toEqual({ name: 'Agents, by session', hasRing: true })
  })

  it('filters by state, project and model, and clears the filters', async ({ server, open }) => {
    new LiveServer(server)
    await open('/?view=table')
    await eventually(text).toContain('reader')
    await page.getByRole('button', { name: /^Waiting 1/ }).click()
    await eventually(text).not.toContain('reader')
    expect(text()).toContain('writer')
    await expect.poll(() => location.search).toBe('?view=table&state=waiting')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(text).toContain('reader')
    await expect.poll(() => location.search).toBe('?view=table')
    await page.getByRole('button', { name: 'Project: Project' }).click()
    await page.getByRole('menuitemcheckbox', { name: /atlas-api/ }).click()
    await eventually(() => location.search).toContain('project=atlas-api')
    await go('/?model=opus')
    await eventually(shownAgents).toBe(1)
  })

  it('shows the tool calls, failures, tokens and cost of an agent', async ({ server, open }) => {
    const live = new LiveServer(server)
    const usage = { input: 9_000, output: 400, cache_read: 3_000, cache_write: 0, cost_micro_usd: 1_230_000 }
    live.add({ ...live.agent('r'), tool_counts: { Read: 41, Bash: 1 }, usage: { ...usage, cost_unknown: 0 } })
    await open('/?view=table', WIDE)
    await eventually(() => rows().find((one) => one.includes('reader'))).toMatch(/haiku.*42✕ 112k1\.23–/)
  })

  it('shows the skill and claim of an agent and links to its session in the ledger', async ({
    server,
    open,
  }) => {
    const live = new LiveServer(server)
    const ts = live.day.start
    live.add({
      ...live.agent('r'),
      skill: { name: 'tidy-up', ts, success: null },
      claims: { count: 2, last: { value: 'about 5 min', tier: 'ESTIMATE-HTC', ts } },
      follow_ups: 1,
    })
    await open('/?view=table', WIDE)
    await eventually(text).toContain('skill tidy-up · ESTIMATE “about 5 min” +1')
    await row('reader').click()
    await expect.element(panel.getByText('skill tidy-up')).toBeVisible()
    await expect.element(panel.getByText('1 earlier claim')).toBeVisible()
    await expect.element(panel.getByText('1 follow-up in its last marker')).toBeVisible()
    const link = panel.getByRole('link', { name: 'Outcomes of this session' })
    await eventually(() => decodeURIComponent(link.element().getAttribute('href') ?? '')).toMatch(
      /^\/ledger\?tab=agents&session=claude-code~s1\b/,
    )
    await expectAccessible()
  })

  it('renders only visible rows of a crowd and scrolls to the active one', async ({ server, open }) => {
    const live = new LiveServer(server)
    live.add(...Array.from({ length: 600 }, (_, n) => agent({ id: `c${n}`, subagent_type: `crowd-${n}` })))
    await open('/?view=table')
    await expect.element(page.getByText(/^rows 1–\d+ of 607$/)).toBeVisible()
    expect(rows().length).toBeLessThan(100)
    await go('/?view=table&agent=claude-code~s1~c500')
    await expect.element(panelName).toHaveTextContent('crowd-500')
    ;(table.element() as HTMLElement).focus()
    await userEvent.keyboard('j')
    await expect.element(row('crowd-501')).toBeInViewport()
  })

  for (const [width, size] of [
    ['wide', WIDE],
    ['narrow', PHONE],
  ] as const)
    it(`passes axe when it is open, filtered and folded, ${width}`, async ({ server, open }) => {
      new LiveServer(server)
      await open('/?view=table&agent=claude-code~s1~r', size)
      await expect.element(panelName).toHaveTextContent('reader')
      await expectAccessible()
      await go('/?view=table&state=waiting')
      await eventually(text).not.toContain('reader')
      await page.getByRole('button', { name: 'Fold atlas-api' }).click()
      await eventually(() => rows().length).toBe(3)
      await expectAccessible()
    })
})

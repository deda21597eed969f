import type { LedgerAgentsReply, LedgerClaimsReply, LedgerOverview, SkillUsesReply } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { eventually, post, usePages } from './page-kit.ts'
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

const open = (path: string): Promise<Page> =>
  pages.open(daemon, path, { viewport: { width: 1440, height: 900 } })

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

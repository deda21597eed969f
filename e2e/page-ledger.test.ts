import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  BudgetState,
  LedgerAgentsReply,
  LedgerClaimsReply,
  LedgerOverview,
  SkillUsesReply,
} from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { goWithin } from './axe.ts'
import type { TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { eventually, post, stored, usePages } from './page-kit.ts'
import { homeWithTranscripts } from './transcripts-home.ts'

const pages = usePages()
let home: TestHome
let daemon: Daemon

const ask = async <T>(path: string): Promise<T> => (await (await daemon.request(path)).json()) as T

beforeAll(async () => {
  home = await homeWithTranscripts()
  await mkdir(home.panoptes, { recursive: true })
  const limits = [
    { per: 'month', usd: 10, source: 'custom' },
    { per: 'session', usd: 100 },
  ]
  // JSON is valid YAML.
  await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify({ budgets: { limits } }))
  daemon = await startDaemon({ home })
  const isRead = async () => {
    const { reading, claims } = await ask<LedgerOverview>('/api/ledger/overview')
    return reading.state === 'idle' && claims > 0
  }
  await vi.waitFor(async () => expect(await isRead()).toBe(true), { timeout: 60_000, interval: 100 })
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
})

const rows = (page: Page) => page.locator('tbody tr[id^=ledger-]')
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

/** Uses a skill that only events know, and one that the command recorded. */
async function useSkills(at: number): Promise<void> {
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
  const uses = async (skill: string) =>
    (await ask<SkillUsesReply>(`/api/ledger/skill-uses?skill=${skill}`)).total
  await eventually(async () => [await uses('sanding'), await uses('planing')]).toEqual([1, 1])
}

describe('the Ledger page with recorded sessions', () => {
  it('leads from agents, claims and skills to the messages and events behind them', async () => {
    const { agents } = await ask<LedgerAgentsReply>('/api/ledger/agents?outcome=partial')
    const [agent] = agents
    if (agent?.said_at?.n == null) throw new Error('no recorded agent says that it is partial')
    const page = await pages.open(daemon, '/ledger?tab=agents&days=all&outcome=partial')
    await rows(page).first().click()
    const panel = page.getByRole('complementary')
    await panel.getByText(`${agent.stubs} stubs`).waitFor()
    await panel.getByRole('button', { name: 'Read the transcript' }).click()
    await page.getByRole('region', { name: 'Transcript' }).waitFor()
    await eventually(() => page.url()).toContain(`n=${agent.said_at.n}`)

    const { claims } = await ask<LedgerClaimsReply>('/api/ledger/claims')
    const [claim] = claims
    await goWithin(page, '/ledger?tab=claims&days=all')
    await eventually(() => rows(page).count()).toBe(claims.length)
    await eventually(() => rows(page).first().textContent()).toContain(claim?.value.replace(/^\W+/, ''))
    await rows(page).first().click()
    await page.getByRole('link', { name: 'Read in the transcript' }).click()
    await eventually(() => page.url()).toContain(`n=${claim?.n}`)

    const at = Date.now() - 60_000
    await useSkills(at)
    await goWithin(page, '/ledger?tab=skills&skill=sanding')
    await panel.getByRole('link', { name: /worked/ }).click()
    await eventually(() => heading(page)).toBe('Live')
    await eventually(() => page.url()).toContain(`at=${at}`)
    await goWithin(page, '/ledger?tab=skills&skill=planing')
    await panel.getByRole('link', { name: /worked/ }).click()
    await eventually(() => heading(page)).toBe('Events')
    await page.getByRole('grid').getByText('planing').first().waitFor()
  })
})

describe('a budget', () => {
  it('is announced once when it is nearly used up, and once when it is used up', async () => {
    const page = await pages.open(daemon, '/ledger')
    const notices = page.getByRole('region', { name: 'Notices' })
    const spend = (id: string, cost_usd: number) => {
      const usage = { event: 'usage', source: 'custom', session_id: 'shop', agent_id: 'main', model: 'm' }
      return post(daemon, [{ ...usage, id, key: id, cost_usd }])
    }
    const spent = async () => (await ask<readonly BudgetState[]>('/api/ledger/budgets'))[0]?.spent_micro_usd
    await spend('u1', 8.5)
    await notices.getByText(/nearly used up: .*\$8\.50 of \$10\.00/).waitFor()
    await spend('u2', 2)
    await notices.getByText(/Budget used up: .*\$10\.50 of \$10\.00/).waitFor()
    await spend('u3', 1)
    await eventually(spent).toBe(11_500_000)
    const { events } = await stored(daemon, 'kind=budget')
    expect(events.map(({ level }) => level)).toEqual(['over', 'near'])
  })
})

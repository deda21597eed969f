import { expect, it } from 'vitest'
import { expectNothingInBothThemes, followSystem } from './axe.ts'
import { agentOf, dayOfAgents, graph, panel, rowsOf, table, useLive } from './live-kit.ts'
import { eventually } from './page-kit.ts'

const of = { agent_id: 'r' }
const { day, event } = dayOfAgents()
const live = useLive([
  ...day,
  event(5_000, { event: 'skill_use', id: 'k1', ...of, skill: 'tidy-up', success: true }),
  event(6_000, { event: 'claim', ...of, value: 'took 3.2 s', tier: 'REAL', pointer: 't1', place: 0 }),
  event(6_001, { event: 'claim', ...of, value: 'about 5 min', tier: 'ESTIMATE-HTC', pointer: 'x', place: 1 }),
  event(7_000, { event: 'status', ...of, shipped: 'partial', stubs: 1, follow_ups: ['count hidden files'] }),
])

it('shows the skill, the claim and what is left to do of an agent, and leads to its ledger', async () => {
  const page = await live.open('/?view=table')
  await followSystem(page)
  const row = async () => (await rowsOf(page)).find((text) => text.includes('reader')) ?? ''
  await eventually(row).toContain('skill tidy-up · ESTIMATE “about 5 min” +1')
  await expectNothingInBothThemes(page, 'table')
  await table(page).locator('tbody tr').filter({ hasText: 'reader' }).click()
  const said = panel(page)
  await said.getByText('skill tidy-up').waitFor()
  await said.getByText('1 claim before').waitFor()
  await said.getByText('1 follow-up left by its last marker').waitFor()
  await expectNothingInBothThemes(page, 'panel')
  const link = said.getByRole('link', { name: 'What its session amounted to' })
  expect(decodeURIComponent((await link.getAttribute('href')) ?? '')).toMatch(
    /^\/ledger\?tab=agents&session=claude-code~s1\b/,
  )
})

it('says them of the chosen node of the graph, and how the skill went once that is known', async () => {
  const page = await live.open(agentOf('r'))
  const chosen = () => page.getByRole('status').allTextContents()
  await eventually(async () => (await chosen()).join()).toContain('skill tidy-up · ESTIMATE')
  await live.post(event(8_000, { event: 'tool_done', id: 't9', ...of, tool: 'Bash', ok: false }))
  await live.post(event(9_000, { event: 'agent_done', id: 'r', outcome: 'partial' }))
  await panel(page).getByText('skill tidy-up ✕').waitFor()
  await panel(page).getByText('done: partial').waitFor()
  expect(await graph(page).count()).toBe(1)
})

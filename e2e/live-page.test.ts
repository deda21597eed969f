import type { ReplayReply } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { eventually, ownScripts, post, usePages, watchScripts } from './page-kit.ts'

const start = Date.now() - 60_000
let home: TestHome
let daemon: Daemon
const pages = usePages()
beforeAll(async () => {
  home = await makeHome()
  await runCommand(home, ['config', 'set', 'live.answer_seconds', '120'])
  daemon = await startDaemon({ home })
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
})

/** An event so many milliseconds after the start. */
const event = (after: number, kind: string, fields: object) => ({
  event: kind,
  source: 'claude-code',
  session_id: 's1',
  ts: start + after,
  key: `live-${after}-${JSON.stringify(fields)}`,
  ...fields,
})
const spawn = (after: number, id: string, parent: string, type: string) =>
  event(after, 'agent_spawn', { id, parent_id: parent, subagent_type: type, model: 'claude-haiku-4' })

const graph = (page: Page) => page.getByRole('img', { name: /^Graph of/ })
const shownAgents = (page: Page) => graph(page).getAttribute('data-agents').then(Number)
const panelName = (page: Page) =>
  page.getByRole('complementary').getByRole('heading', { level: 2 }).textContent()

/** Asks the server how many agents were alive at a moment. */
async function aliveAt(at: number): Promise<number> {
  const { agents } = (await (await daemon.request(`/api/replay?at=${at}`)).json()) as ReplayReply
  return agents.filter((agent) => agent.state !== 'done' && agent.state !== 'failed').length
}

describe('Live with a running daemon', () => {
  it('follows agents from their first event, and goes back to any moment', async () => {
    const page = await pages.open(daemon, '/', { viewport: { width: 1440, height: 900 } })
    // A hub shows what the computers of a team send.
    const first = home.store === undefined ? 'Start an agent. It appears here.' : /^Connect a computer/
    await page.getByRole('heading', { name: first }).waitFor()

    await post(daemon, [
      event(0, 'session_start', { agent_id: 'main', project: 'atlas-api', title: 'Split billing' }),
      event(1, 'prompt', { agent_id: 'main', prompt_preview: 'Split billing out' }),
      spawn(1_000, 'w', 'main', 'writer'),
      spawn(2_000, 'r', 'w', 'reader'),
      spawn(4_000, 'f', 'main', 'fixer'),
      event(20_000, 'agent_wait', { agent_id: 'w', reason: 'allow Bash?' }),
      event(59_000, 'agent_done', { id: 'f', outcome: 'fail', error: 'exit 2' }),
    ])
    await eventually(() => shownAgents(page)).toBe(3)
    await page
      .getByRole('region', { name: /^Needs you/ })
      .getByText('allow Bash? · atlas-api')
      .waitFor()

    // Live first shows an agent under the id of its call, and later under the agent's own id.
    await post(daemon, [event(40_000, 'agent_spawn', { id: 'toolu_9', subagent_type: 'linked' })])
    await eventually(() => shownAgents(page)).toBe(4)
    await page.evaluate(`history.pushState({}, '', '/?agent=claude-code~s1~toolu_9')`)
    await eventually(() => panelName(page)).toBe('linked')
    await post(daemon, [event(41_000, 'agent_link', { id: 'a9', tool_use_id: 'toolu_9' })])
    await eventually(() => decodeURIComponent(page.url())).toContain('claude-code~s1~a9')
    await eventually(() => shownAgents(page)).toBe(4)

    const edit = (agent_id: string) =>
      event(58_000, 'tool_use', { agent_id, id: `edit-${agent_id}`, tool: 'Edit', file: '/atlas/tax.ts' })
    await post(daemon, [
      { ...edit('r'), ts: Date.now() },
      { ...edit('main'), ts: Date.now() },
    ])
    await page.getByText('2 agents are editing /atlas/tax.ts at the same time').waitFor()

    const alive = []
    for (const after of [500, 1_500, 2_500, 10_000, 42_000]) {
      const at = start + after
      await page.evaluate(`history.pushState({}, '', '/?at=${at}')`)
      await eventually(() => new URL(page.url()).searchParams.get('at')).toBe(String(at))
      const told = await aliveAt(at)
      await eventually(() => shownAgents(page)).toBe(told)
      alive.push(told)
    }
    expect(alive).toEqual([1, 2, 3, 4, 5])
  })

  it("answers an agent's permission request and question, and the hook passes the answers on", async () => {
    const question = {
      question: 'Which colour?',
      header: 'Colour',
      options: [
        { label: 'Red', description: 'warm' },
        { label: 'Blue', description: 'cold' },
      ],
      multiSelect: false,
    }
    const hook = async (session_id: string, tool_name: string, tool_input: object) => {
      const payload = {
        hook_event_name: 'PermissionRequest',
        session_id,
        cwd: '/work',
        tool_name,
        tool_input,
      }
      const body = JSON.stringify(payload)
      const answer = await daemon.request('/hooks/claude-code', { method: 'POST', body })
      return JSON.parse(await answer.text()).hookSpecificOutput.decision
    }
    const permission = hook('asks', 'Bash', { command: 'npm test' })
    const page = await pages.open(daemon, '/?view=table&agent=claude-code~asks~main')
    const card = page.getByRole('region', { name: 'Waits for you' })
    await card.getByText('Asks to run Bash npm test').waitFor()
    await card.getByRole('button', { name: 'Allow once' }).click()
    expect(await permission).toEqual({ behavior: 'allow' })
    await page.getByRole('region', { name: 'Working' }).waitFor()

    const asked = hook('asks', 'AskUserQuestion', { questions: [question] })
    await card.getByRole('group', { name: 'Which colour?' }).getByRole('button', { name: 'Blue' }).click()
    expect(await asked).toEqual({
      behavior: 'allow',
      updatedInput: { questions: [question], answers: { 'Which colour?': 'Blue' } },
    })
  })

  it('loads less than 200 KB of compressed scripts before it draws the graph', async () => {
    await post(daemon, [event(60_000, 'prompt', { session_id: 's3', agent_id: 'main' })])
    const page = await pages.open(daemon, '/', {
      first: async (blank) => {
        await watchScripts(blank)
        await blank.addInitScript(rememberFirstCanvas)
      },
    })
    await graph(page).waitFor()
    const drawnAt = await page.evaluate(() => (globalThis as unknown as { drawnAt?: number }).drawnAt ?? 0)
    // The layout worker is loaded with the graph.
    const scripts = (await ownScripts(page)).filter(
      ({ name, startTime }) => startTime <= drawnAt || name.includes('worker'),
    )
    const total = scripts.reduce((sum, script) => sum + script.encodedBodySize, 0)
    expect(scripts.some(({ name }) => name.includes('live-page'))).toBe(true)
    expect(total).toBeGreaterThan(50_000)
    expect(total).toBeLessThan(200_000)
  })
})

/** Runs in the page and records when the canvas first appears. */
function rememberFirstCanvas(): void {
  const scope = globalThis as unknown as {
    drawnAt?: number
    document: { querySelector(selector: string): unknown }
    MutationObserver: new (look: () => void) => { observe(of: unknown, how: object): void }
  }
  new scope.MutationObserver(() => {
    if (scope.document.querySelector('canvas')) scope.drawnAt ??= performance.now()
  }).observe(scope.document, { childList: true, subtree: true })
}

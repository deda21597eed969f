import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentRequest, EventsPage } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../command.ts'
import { openAt } from '../page-kit.ts'
import { workFolder } from './claude.ts'
import { bash, read, type Script, startAgent, truth } from './script.ts'
import { useStage } from './stage.ts'
import { agentsOf, expectTree, type Seen, seen, treeOf } from './tree.ts'
import { CLAUDE_CODE, type ClientName } from './versions.ts'

const { home, start, connect, play } = useStage()

/** The newest client calls `main` again for each agent that reports back; each call gets the same reply. */
const said = (shipped: string) => Array.from({ length: 8 }, () => ({ text: truth(shipped) }))

/** Three agents at once: one finishes its work, one part of it, and one cannot find its file. */
const parallel = (): Script => ({
  main: [
    {
      calls: [startAgent('survey'), startAgent('count'), startAgent('probe', { subagent_type: 'Explore' })],
    },
    ...said('functional'),
  ],
  survey: [
    { calls: [bash('sleep 0.4; ls -1')] },
    { calls: [bash('echo again')] },
    { text: truth('functional') },
  ],
  count: [{ calls: [bash('sleep 0.2; ls | wc -l'), bash('echo second')] }, { text: truth('partial') }],
  probe: [{ calls: [read(`${workFolder(home())}/missing.txt`)] }, { text: 'Could not find the file.' }],
})
const parallelTree = (background: boolean): readonly Seen[] => [
  seen('count', { outcome: 'partial', tools: { Bash: 2 }, background }),
  seen('main', { outcome: 'functional', tools: { Agent: 3 } }),
  seen('probe', { tools: { Read: 1 }, errors: 1, background }),
  seen('survey', { outcome: 'functional', tools: { Bash: 2 }, background }),
]

describe.each(Object.entries(CLAUDE_CODE) as [ClientName, string][])(
  'Claude Code, %s version (%s)',
  (client) => {
    const background = client === 'newest'

    it('shows three simultaneous agents, each with its own calls', async () => {
      const daemon = await start()
      await connect()
      const { code, session, output } = await play(client, parallel())
      expect(code, output).toBe(0)
      await expectTree(daemon, session, parallelTree(background))
    })

    it('shows an agent under its parent', async () => {
      const daemon = await start()
      await connect()
      const { session } = await play(client, {
        main: [{ calls: [startAgent('outer')] }, { text: 'ok' }],
        outer: [{ calls: [bash('echo outer'), startAgent('inner')] }, { text: truth('functional') }],
        inner: [{ calls: [bash('echo inner')] }, { text: truth('scaffolding') }],
      })
      await expectTree(daemon, session, [
        seen('inner', { under: 'outer', outcome: 'scaffolding', tools: { Bash: 1 } }),
        seen('main', { tools: { Agent: 1 } }),
        seen('outer', { outcome: 'functional', tools: { Agent: 1, Bash: 1 }, background }),
      ])
    })

    it('shows working agents in a real browser', async () => {
      const daemon = await start()
      await connect()
      const { page, complaints, close } = await openAt(daemon, '/?view=table')
      const seenAll = join(workFolder(home()), 'seen-all')
      const untilSeen = bash(`until [ -e '${seenAll}' ]; do sleep 0.2; done`)
      const run = play(client, {
        main: [{ calls: [startAgent('outer'), startAgent('other')] }, { text: 'ok' }],
        outer: [{ calls: [startAgent('inner', { subagent_type: 'Explore' })] }, { text: 'ok' }],
        inner: [{ calls: [untilSeen] }, { text: 'ok' }],
        other: [{ calls: [untilSeen] }, { text: 'ok' }],
      })
      const rows = page.getByRole('treegrid').getByRole('row')
      const at = (level: number) => rows.and(page.locator(`[aria-level="${level}"]`))
      await at(4).filter({ hasText: 'Explore' }).filter({ hasText: 'Working' }).waitFor()
      await expect.poll(() => at(3).filter({ hasText: 'general-purpose' }).count()).toBe(2)
      expect(await at(2).filter({ hasText: 'main' }).count()).toBe(1)
      await writeFile(seenAll, '')
      expect(complaints).toEqual([])
      await close()
      expect((await run).code).toBe(0)
    })

    it('counts failing calls without marking the agent as failed, whatever the model does', async () => {
      const daemon = await start()
      await connect()
      const { code, session, output } = await play(client, {
        main: [
          { calls: [bash('ls /definitely/not/here')], faults: [{ kind: 'status', status: 529 }] },
          { calls: [read(`${workFolder(home())}/nope.md`)], faults: [{ kind: 'cut' }] },
          { text: 'Two calls failed.', faults: [{ kind: 'slow', ms: 300 }] },
        ],
      })
      expect(code, output).toBe(0)
      await expectTree(daemon, session, [seen('main', { tools: { Bash: 1, Read: 1 }, errors: 2 })])
    })

    it('shows a turn as failed if the model broke it off', async () => {
      const daemon = await start()
      await connect()
      const faults = Array.from({ length: 12 }, () => ({ kind: 'status', status: 500 }) as const)
      const { session } = await play(
        client,
        { main: [{ faults }] },
        { env: { CLAUDE_CODE_MAX_RETRIES: '1' } },
      )
      await expectTree(daemon, session, [seen('main', { state: 'failed', outcome: 'fail' })])
    })

    it('shows agents that worked while Panoptes was stopped', async () => {
      await connect()
      const { code, session, output } = await play(client, parallel())
      expect(code, output).toBe(0)
      await expectTree(await start(), session, parallelTree(background))
    })

    it('shows the same agents with hooks over HTTP', async () => {
      const daemon = await start()
      await connect('--http')
      const { session } = await play(client, parallel())
      await expectTree(daemon, session, parallelTree(background))
    })
  },
)

describe('background agents', () => {
  it('keep working after the turn that started them has stopped', async () => {
    const daemon = await start()
    await connect()
    const run = play('newest', {
      main: [{ calls: [startAgent('slow')] }, ...said('functional')],
      slow: [{ calls: [bash('sleep 3')] }, { text: truth('functional') }],
    })
    const stopped = async () => {
      const answer = await daemon.request('/api/events?kind=status')
      return ((await answer.json()) as EventsPage).events.length
    }
    await expect.poll(stopped, { timeout: 120_000, interval: 50 }).toBe(1)
    const now = treeOf(await agentsOf(daemon))
    expect(now.map(({ agent, state, background }) => [agent, state, background])).toEqual([
      ['main', 'working', false],
      ['slow', 'working', true],
    ])
    const { session } = await run
    await expectTree(daemon, session, [
      seen('main', { outcome: 'functional', tools: { Agent: 1 } }),
      seen('slow', { outcome: 'functional', tools: { Bash: 1 }, background: true }),
    ])
  })
})

/** The recorded client asks for no permission without a terminal. */
describe('a permission request of Claude Code', () => {
  it.each(['allow', 'deny'] as const)('accepts the answer "%s" from the page', async (choice) => {
    await runCommand(home(), ['config', 'set', 'live.answer_seconds', '60'])
    const daemon = await start()
    await connect()
    const run = play(
      'newest',
      { main: [{ calls: [bash('touch made-with-permission')] }, { text: 'ok' }] },
      { allowed: 'Read' },
    )
    const requests = async () =>
      (await (await daemon.request('/api/requests')).json()) as readonly AgentRequest[]
    await expect.poll(requests, { timeout: 120_000, interval: 50 }).toHaveLength(1)
    const [request] = await requests()
    expect(request).toMatchObject({ agent_id: 'main', tool: 'Bash' })
    expect(treeOf(await agentsOf(daemon))).toMatchObject([{ agent: 'main', state: 'waiting' }])
    await daemon.request(`/api/agents/${request?.session_id}/main/answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ request_id: request?.request_id, choice }),
    })
    const { session } = await run
    expect(existsSync(join(workFolder(home()), 'made-with-permission'))).toBe(choice === 'allow')
    await expectTree(daemon, session, [seen('main', { tools: { Bash: 1 } })])
  })
})

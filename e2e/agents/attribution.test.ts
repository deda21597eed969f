import type { EventsPage, StoredEvent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import type { Daemon } from '../daemon.ts'
import { bash, startAgent } from './script.ts'
import { useStage } from './stage.ts'
import { agentsOf, treeOf } from './tree.ts'
import { CLAUDE_CODE, type ClientName } from './versions.ts'

const { start, connect, play } = useStage()

const eventsOf = async (daemon: Daemon, kind: string): Promise<readonly StoredEvent[]> => {
  const answer = await daemon.request(`/api/events?kind=${kind}`)
  return ((await answer.json()) as EventsPage).events
}

describe.each(Object.entries(CLAUDE_CODE) as [ClientName, string][])(
  'Claude Code, %s version (%s)',
  (client) => {
    it('ends every turn, also those with the same ending shortly after each other', async () => {
      const daemon = await start()
      await connect()
      const { code, output } = await play(client, {}, { turns: 3 })
      expect(code, output).toBe(0)
      await expect.poll(() => eventsOf(daemon, 'session_end')).toHaveLength(1)
      expect(await eventsOf(daemon, 'prompt')).toHaveLength(3)
      expect(await eventsOf(daemon, 'agent_done')).toHaveLength(3)
    })

    it.each([
      ['', []],
      [' over http', ['--http']],
    ])('shows an agent under its parent while both work%s', async (_, flags) => {
      const daemon = await start()
      await connect(...flags)
      const run = play(client, {
        main: [{ calls: [startAgent('outer')] }, { text: 'ok' }],
        outer: [{ calls: [startAgent('inner', { subagent_type: 'Explore' })] }, { text: 'ok' }],
        inner: [{ calls: [bash('sleep 5')] }, { text: 'ok' }],
      })
      const working = async () =>
        (await agentsOf(daemon))
          .filter(({ state }) => state === 'working')
          .map(({ subagent_type, parent_id }) => [subagent_type, parent_id])
      const outer = async () =>
        (await agentsOf(daemon)).find(({ subagent_type }) => subagent_type === 'general-purpose')?.id
      await expect.poll(outer, { timeout: 120_000, interval: 50 }).toBeDefined()
      await expect
        .poll(working, { timeout: 120_000, interval: 50 })
        .toContainEqual(['Explore', await outer()])
      expect((await run).code).toBe(0)
    })
  },
)

/** The recorded client does not report this to its hooks. */
it('shows no agent for a background command', async () => {
  const daemon = await start()
  await connect()
  const background = { ...bash('sleep 0.2; exit 3').input, run_in_background: true }
  const { code, output } = await play('newest', {
    main: [
      { calls: [{ tool: 'Bash', input: background }] },
      { calls: [bash('sleep 1.5')] },
      ...Array.from({ length: 4 }, () => ({ text: 'ok' })),
    ],
  })
  expect(code, output).toBe(0)
  await expect.poll(() => eventsOf(daemon, 'session_end')).toHaveLength(1)
  const told = (await eventsOf(daemon, 'prompt')).filter(({ origin }) => origin === 'client')
  expect(told.length).toBeGreaterThan(0)
  expect(treeOf(await agentsOf(daemon))).toMatchObject([{ agent: 'main', tools: { Bash: 2 } }])
})

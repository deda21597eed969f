import type { EventsPage, StoredEvent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import type { Daemon } from '../daemon.ts'
import { workFolder } from './claude.ts'
import { bash, read, type Script, startAgent, truth } from './script.ts'
import { useStage } from './stage.ts'
import { agentsOf, expectTree, type Seen, seen, treeOf } from './tree.ts'
import { CLAUDE_CODE, type ClientName } from './versions.ts'

const { home, start, connect, play } = useStage()

const eventsOf = async (daemon: Daemon, session: string): Promise<readonly StoredEvent[]> => {
  const answer = await daemon.request(`/api/events?session=${session}&limit=1000`)
  return ((await answer.json()) as EventsPage).events
}

const said = (shipped: string) => Array.from({ length: 8 }, () => ({ text: truth(shipped) }))

/** One agent has a sub-agent; another makes a call that fails and one to an unknown tool. */
const script = (): Script => ({
  main: [{ text: 'Off we go.', calls: [startAgent('outer'), startAgent('probe')] }, ...said('functional')],
  outer: [{ calls: [bash('echo outer'), startAgent('inner')] }, { text: truth('functional') }],
  inner: [{ calls: [bash('echo inner')] }, { text: truth('scaffolding') }],
  probe: [
    { calls: [read(`${workFolder(home())}/missing.txt`), { tool: 'Nope', input: {} }] },
    { text: 'Could not find the file.' },
  ],
})

describe.each(Object.entries(CLAUDE_CODE) as [ClientName, string][])(
  'Claude Code, %s version (%s)',
  (client) => {
    const background = client === 'newest'
    const tree: readonly Seen[] = [
      seen('inner', { under: 'outer', outcome: 'scaffolding', tools: { Bash: 1 } }),
      seen('main', { outcome: 'functional', tools: { Agent: 2 } }),
      seen('outer', { outcome: 'functional', tools: { Agent: 1, Bash: 1 }, background }),
      seen('probe', { tools: { Read: 1, Nope: 1 }, errors: 2, background }),
    ]

    it('shows its agents without hooks, from its transcripts alone', async () => {
      const daemon = await start()
      const { code, session, output } = await play(client, script())
      expect(code, output).toBe(0)
      await expectTree(daemon, session, tree)
      const events = await eventsOf(daemon, session)
      expect(new Set(events.map(({ via }) => via))).toEqual(new Set(['transcript']))
      const main = (await agentsOf(daemon, session)).find(({ id }) => id === 'main')
      expect(main?.usage?.output).toBeGreaterThan(0)
    })

    it('stores an event once if hooks and transcripts both report it', async () => {
      const daemon = await start()
      await connect()
      const { code, session, output } = await play(client, script())
      expect(code, output).toBe(0)
      await expectTree(daemon, session, tree)
      const both = async () => {
        const events = await eventsOf(daemon, session)
        return (
          events.some(({ event }) => event === 'session_end') && events.some(({ event }) => event === 'usage')
        )
      }
      await expect.poll(both).toBe(true)
      // The last rows are read within a second after the end.
      const unknown = ({ event, tool }: StoredEvent) => event === 'tool_done' && tool === 'Nope'
      await expect.poll(async () => (await eventsOf(daemon, session)).filter(unknown).length).toBe(1)
      const events = await eventsOf(daemon, session)
      const count = (kind: string) => events.filter(({ event }) => event === kind).length
      expect({ calls: count('tool_use'), ends: count('tool_done') }).toEqual({ calls: 7, ends: 7 })
      expect({ starts: count('session_start'), spawns: count('agent_spawn') }).toEqual({
        starts: 1,
        spawns: 3,
      })
      expect(events.filter(({ event, origin }) => event === 'prompt' && origin !== 'client')).toHaveLength(1)
      const ends = events.filter(({ event }) => event === 'agent_done').map(({ id }) => id)
      expect(new Set(ends.filter((id) => id !== 'main')).size).toBe(ends.filter((id) => id !== 'main').length)
      expect(treeOf(await agentsOf(daemon, session))).toEqual(tree)
    })
  },
)

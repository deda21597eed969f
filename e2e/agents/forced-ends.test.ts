import type { Agent, EventsPage, StoredEvent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import type { Daemon } from '../daemon.ts'
import { bash, startAgent, truth } from './script.ts'
import { useStage } from './stage.ts'
import { agentsOf, expectTree, seen } from './tree.ts'

const { start, connect, play } = useStage()
const ALLOWED = 'Bash,Read,Agent,SendMessage,TaskStop'
const later = Array.from({ length: 6 }, () => ({ text: 'Heard.' }))

const eventsOf = async (daemon: Daemon, session: string): Promise<readonly StoredEvent[]> => {
  const answer = await daemon.request(`/api/events?session=${session}&limit=1000`)
  return ((await answer.json()) as EventsPage).events.toSorted((a, b) => a.seq - b.seq)
}

describe('the newest Claude Code', () => {
  it('keeps main working while an agent that a message resumed works', async () => {
    const daemon = await start()
    await connect()
    const message = { to: 'helper', summary: 'more', message: 'one thing more' }
    const { code, session, output } = await play(
      'newest',
      {
        main: [
          { calls: [startAgent('helper', { name: 'helper' })] },
          { text: 'Started.' },
          { calls: [{ tool: 'SendMessage', input: message }] },
          { text: 'Sent.' },
          ...later,
        ],
        helper: [
          { calls: [bash('echo one')] },
          { text: truth('fail') },
          { calls: [bash('sleep 2; echo two')] },
          { text: truth('functional') },
        ],
      },
      { allowed: ALLOWED },
    )
    expect(code, output).toBe(0)
    await expectTree(daemon, session, [
      seen('helper', { outcome: 'functional', tools: { Bash: 2 }, background: true }),
      seen('main', { tools: { Agent: 1, SendMessage: 1 } }),
    ])
    const events = await eventsOf(daemon, session)
    const begun = events.filter(({ event }) => event === 'agent_spawn').at(-1)
    const ended = events.findLast(({ event, id }) => event === 'agent_done' && id !== 'main')
    const between = events.filter(
      ({ event, id, ts }) =>
        event === 'agent_done' && id === 'main' && ts > (begun?.ts ?? 0) && ts < (ended?.ts ?? 0),
    )
    expect(between).toEqual([])
  })

  it('shows an agent that died of status 529 as failed, in Live and in the Ledger', async () => {
    const daemon = await start()
    await connect()
    const faults = Array.from({ length: 30 }, () => ({ kind: 'status', status: 529 }) as const)
    const { session } = await play(
      'newest',
      {
        main: [{ calls: [startAgent('bad')] }, ...later],
        bad: [{ calls: [bash('echo x')] }, { text: 'never', faults }],
      },
      { allowed: ALLOWED, env: { CLAUDE_CODE_MAX_RETRIES: '1' } },
    )
    await expectTree(daemon, session, [
      seen('bad', { state: 'failed', outcome: 'fail', tools: { Bash: 1 }, background: true }),
      seen('main', { tools: { Agent: 1 } }),
    ])
    const bad = (await agentsOf(daemon, session)).find(({ id }) => id !== 'main') as Agent
    const outcome = async () => {
      const answer = await daemon.request(`/api/ledger/agents?session=${session}`)
      const { agents } = (await answer.json()) as {
        agents: readonly { agent_id: string; outcome: string | null }[]
      }
      return agents.find(({ agent_id }) => agent_id === bad.id)?.outcome
    }
    await expect.poll(outcome, { timeout: 60_000 }).toBe('fail')
  })
})

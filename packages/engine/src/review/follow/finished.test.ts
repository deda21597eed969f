import type { Agent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { accountOf, agentOf, NOON } from '../review.test-kit.ts'
import { judgeFinished } from './finished.ts'

const MINUTE = 60_000

const live = (id: string, state: Agent['state'], more: Partial<Agent> = {}): Agent => ({
  id,
  parent_id: null,
  session_id: 's',
  source: 'codex',
  subagent_type: null,
  model: null,
  state,
  outcome: null,
  tool_counts: {},
  errors: 0,
  started_at: NOON,
  last_at: NOON,
  ended_at: state === 'done' || state === 'failed' ? NOON : null,
  prompt_preview: null,
  wait_reason: null,
  background: false,
  tool_use_id: null,
  doing: null,
  usage: null,
  ...more,
})

interface Case {
  readonly agents?: Parameters<typeof accountOf>[1]
  readonly live?: readonly Agent[]
  readonly after?: number
  readonly judged?: boolean
}

function finished({ agents = {}, live: known = [], after = 0, judged = false }: Case) {
  const account = accountOf('s', agents)
  const said = judgeFinished(account, { live: known, now: NOON + after, judged })
  return Object.fromEntries(said.account.agents.map((agent) => [agent.agent_id, agent.finished]))
}

const one = { agents: [agentOf('main', { finished: false })] }
const ended = { agents: [agentOf('main', { finished: true })] }

describe('whether an agent is finished', () => {
  it('is what the log says of it', () => {
    expect(finished({ agents: one, live: [live('main', 'done')] })).toEqual({ main: true })
    expect(finished({ agents: one, live: [live('main', 'failed')] })).toEqual({ main: true })
    for (const state of ['working', 'waiting', 'stuck'] as const)
      expect(finished({ agents: ended, live: [live('main', state)] })).toEqual({ main: false })
  })

  it('is what the session says where the log does not know it, or heard nothing since', () => {
    expect(finished({ agents: ended })).toEqual({ main: true })
    expect(finished({ agents: one })).toEqual({ main: false })
    const before = live('main', 'done', { ended_at: NOON - 10 * MINUTE })
    expect(finished({ agents: one, live: [before] })).toEqual({ main: false })
    expect(finished({ agents: ended, live: [before] })).toEqual({ main: true })
  })

  it('comes with half an hour of silence, and not with a shorter pause', () => {
    expect(finished({ agents: one, after: 29 * MINUTE })).toEqual({ main: false })
    expect(finished({ agents: one, after: 30 * MINUTE })).toEqual({ main: true })
    const working = [live('main', 'working')]
    expect(finished({ agents: one, live: working, after: 31 * MINUTE })).toEqual({ main: true })
    const waiting = [live('main', 'waiting')]
    expect(finished({ agents: one, live: waiting, after: 31 * MINUTE })).toEqual({ main: false })
    expect(finished({ agents: one, live: waiting, after: 1_441 * MINUTE })).toEqual({ main: true })
  })

  it('is left to whoever judges who is lost, where somebody does', () => {
    const working = [live('main', 'working')]
    expect(finished({ agents: one, live: working, after: 90 * MINUTE, judged: true })).toEqual({
      main: false,
    })
  })

  it('is not yet so while one that it made is at work', () => {
    const agents = {
      agents: [
        agentOf('main', { finished: false, last_at: NOON - 60 * MINUTE }),
        agentOf('a', { finished: false, parent_id: 'main', last_at: NOON - 60 * MINUTE }),
        agentOf('b', { finished: false, parent_id: 'a' }),
        agentOf('c', { finished: true, parent_id: 'main' }),
      ],
    }
    expect(finished({ agents })).toEqual({ main: false, a: false, b: false, c: true })
    expect(finished({ agents, after: 30 * MINUTE })).toEqual({ main: true, a: true, b: true, c: true })
  })

  it('says when it has to be asked again', () => {
    const { due } = judgeFinished(accountOf('s', one), { live: [], now: NOON, judged: false })
    expect(due).toBe(NOON + 30 * MINUTE)
    expect(judgeFinished(accountOf('s', ended), { live: [], now: NOON, judged: false }).due).toBeNull()
  })

  it('goes by the session where an agent has no time of its own', () => {
    const silent = { agents: [agentOf('a', { finished: false, last_at: null })] }
    expect(finished({ agents: silent })).toEqual({ a: false })
    expect(finished({ agents: { ...silent, last_at: null } })).toEqual({ a: true })
  })
})

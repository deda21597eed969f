import type { Agent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { accountOf, agentOf, NOON } from '../outcomes.test-kit.ts'
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

describe('finished state of an agent', () => {
  it('follows the state of the agent in the log', () => {
    expect(finished({ agents: one, live: [live('main', 'done')] })).toEqual({ main: true })
    expect(finished({ agents: one, live: [live('main', 'failed')] })).toEqual({ main: true })
    for (const state of ['working', 'waiting', 'stuck'] as const)
      expect(finished({ agents: ended, live: [live('main', state, { last_at: NOON + 5_000 })] })).toEqual({
        main: false,
      })
  })

  it('follows the session if the log lacks the agent or is older', () => {
    expect(finished({ agents: ended })).toEqual({ main: true })
    expect(finished({ agents: one })).toEqual({ main: false })
    const before = live('main', 'done', { ended_at: NOON - 10 * MINUTE })
    expect(finished({ agents: one, live: [before] })).toEqual({ main: false })
    expect(finished({ agents: ended, live: [before] })).toEqual({ main: true })
  })

  it('follows an end in the session if the log has no newer activity', () => {
    expect(finished({ agents: ended, live: [live('main', 'working')] })).toEqual({ main: true })
    expect(finished({ agents: one, live: [live('main', 'working')] })).toEqual({ main: false })
  })

  it('is reached after half an hour of silence, or a day while waiting for a person', () => {
    expect(finished({ agents: one, after: 29 * MINUTE })).toEqual({ main: false })
    expect(finished({ agents: one, after: 30 * MINUTE })).toEqual({ main: true })
    const working = [live('main', 'working')]
    expect(finished({ agents: one, live: working, after: 31 * MINUTE })).toEqual({ main: true })
    const waiting = [live('main', 'waiting')]
    expect(finished({ agents: one, live: waiting, after: 31 * MINUTE })).toEqual({ main: false })
    expect(finished({ agents: one, live: waiting, after: 1_441 * MINUTE })).toEqual({ main: true })
  })

  it('comes with the outcome from the log if the session cannot record it', () => {
    const outcome = (
      state: Agent['state'],
      more: Partial<Agent>,
      marker: Agent['outcome'] = 'functional',
    ) => {
      const account = accountOf('s', { agents: [agentOf('main', { finished: false, outcome: marker })] })
      const judged = judgeFinished(account, { live: [live('main', state, more)], now: NOON, judged: true })
      return judged.account.agents[0]?.outcome
    }
    expect(outcome('done', { outcome: 'lost' })).toBe('lost')
    expect(outcome('done', { outcome: 'stopped' }, null)).toBe('stopped')
    expect(outcome('failed', {})).toBe('fail')
    expect(outcome('done', { outcome: 'partial' })).toBe('functional')
    // It went on without the log.
    const before = NOON - 10 * MINUTE
    expect(outcome('done', { outcome: 'lost', ended_at: before, last_at: before })).toBe('functional')
  })

  it.each(['functional', 'fail', 'stopped'] as const)(
    'keeps the outcome %s of a sub-agent that Live takes for lost',
    (outcome) => {
      const agents = [agentOf('a', { parent_id: 'main', finished: false, outcome })]
      const lost = live('a', 'done', { outcome: 'lost' })
      const judged = judgeFinished(accountOf('s', { agents }), { live: [lost], now: NOON, judged: true })
      expect(judged.account.agents[0]).toMatchObject({ outcome, finished: true })
    },
  )

  it('keeps the forced end of a main agent that Live takes for lost, but no marker of an earlier turn', () => {
    const outcome = (own: Agent['outcome']) => {
      const account = accountOf('s', { agents: [agentOf('main', { finished: false, outcome: own })] })
      const lost = live('main', 'done', { outcome: 'lost' })
      return judgeFinished(account, { live: [lost], now: NOON, judged: true }).account.agents[0]?.outcome
    }
    expect([outcome('stopped'), outcome('functional'), outcome(null)]).toEqual(['stopped', 'lost', 'lost'])
  })

  it('ignores silence if lost agents are detected elsewhere', () => {
    const working = [live('main', 'working')]
    expect(finished({ agents: one, live: working, after: 90 * MINUTE, judged: true })).toEqual({
      main: false,
    })
  })

  it('is not reached while a descendant of the agent works', () => {
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

  it('comes with the time of the next check', () => {
    const { due } = judgeFinished(accountOf('s', one), { live: [], now: NOON, judged: false })
    expect(due).toBe(NOON + 30 * MINUTE)
    expect(judgeFinished(accountOf('s', ended), { live: [], now: NOON, judged: false }).due).toBeNull()
  })

  it('uses the time of the session if the agent has none', () => {
    const silent = { agents: [agentOf('a', { finished: false, last_at: null })] }
    expect(finished({ agents: silent })).toEqual({ a: false })
    expect(finished({ agents: { ...silent, last_at: null } })).toEqual({ a: true })
  })
})

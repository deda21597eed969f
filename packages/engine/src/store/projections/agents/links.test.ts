import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Story, tellStory } from './agents.test-kit.ts'

let story: Story
beforeEach(() => {
  story = tellStory()
  story.tell('prompt', { agent_id: 'main' })
})

const agentCall = (id: string) => story.tell('tool_use', { id, tool: 'Agent', agent_id: 'main' })
const failedCall = (id: string, type = 'X') => {
  story.tell('tool_done', { id, tool: 'Agent', agent_id: 'main', ok: false })
  story.tell('agent_link', { tool_use_id: id, subagent_type: type, status: 'failed' })
}
const completedCall = (call: string, id: string) => {
  story.tell('tool_done', { id: call, tool: 'Agent', agent_id: 'main', ok: true })
  story.tell('agent_link', { tool_use_id: call, id, parent_id: 'main', status: 'completed' })
}
const spawn = (id: string, type = 'X') => story.tell('agent_spawn', { id, subagent_type: type })
const works = (id: string) => story.tell('tool_use', { id: `${id}-q`, tool: 'Bash', agent_id: id })

describe('failed Agent call', () => {
  it('fails the agent it made, whether it arrives before or after the agent', () => {
    agentCall('T')
    spawn('a1')
    works('a1')
    failedCall('T')
    expect(story.agent('a1')).toMatchObject({ state: 'failed', tool_use_id: 'T' })
    agentCall('U')
    failedCall('U')
    spawn('a2')
    works('a2')
    expect(story.states()).toMatchObject({ a1: 'failed', a2: 'failed', main: 'working' })
  })

  it.each(['Agent', 'Task'])('fails no agent while another %s call may have made it', (tool) => {
    for (const id of ['T1', 'T2']) story.tell('tool_use', { id, tool, agent_id: 'main' })
    spawn('a1')
    story.tell('tool_done', { id: 'T1', tool, agent_id: 'main', ok: false })
    story.tell('agent_link', { tool_use_id: 'T1', subagent_type: 'X', status: 'failed' })
    expect(story.states()).toMatchObject({ a1: 'working' })
  })

  it('fails the one of two similar agents that the other call did not make', () => {
    for (const call of ['T1', 'T2']) agentCall(call)
    for (const id of ['a1', 'a2']) spawn(id)
    failedCall('T1')
    expect(story.states()).toMatchObject({ a1: 'working', a2: 'working' })
    completedCall('T2', 'a2')
    expect(story.states()).toMatchObject({ a1: 'failed', a2: 'done' })
  })

  it('fails both of two similar agents when both calls failed', () => {
    for (const call of ['T1', 'T2']) agentCall(call)
    for (const id of ['a1', 'a2']) spawn(id)
    for (const call of ['T1', 'T2']) failedCall(call)
    expect(story.states()).toMatchObject({ a1: 'failed', a2: 'failed' })
  })

  it('waits for the link when it may have made any of several agents', () => {
    for (const id of ['a1', 'a2', 'a3']) spawn(id)
    failedCall('T')
    expect(story.states()).toMatchObject({ a1: 'working', a2: 'working', a3: 'working' })
    story.tell('agent_link', { id: 'a2', tool_use_id: 'T', parent_id: 'main' })
    expect(story.states()).toMatchObject({ a1: 'working', a2: 'failed', a3: 'working' })
  })

  it('fails no agent when it made none and another call is under way', () => {
    agentCall('T')
    failedCall('T')
    agentCall('U')
    spawn('a1')
    works('a1')
    expect(story.states().a1).toBe('working')
    completedCall('U', 'a1')
    expect(story.states().a1).toBe('done')
  })

  it('fails no agent that began long after it', () => {
    failedCall('T')
    story.tell('agent_spawn', { id: 'a1', subagent_type: 'X', ts: 60_000 })
    expect(story.states().a1).toBe('working')
  })

  it('is withdrawn from an agent that turns out to belong to another call', () => {
    failedCall('T')
    spawn('a1')
    expect(story.states().a1).toBe('failed')
    story.tell('agent_link', { id: 'a1', tool_use_id: 'U', parent_id: 'main', status: 'launched' })
    expect(story.agent('a1')).toMatchObject({ state: 'working', tool_use_id: 'U' })
  })

  it("gives the same result in any order that keeps each agent's own order", () => {
    const queues = () => ({
      main: [
        () => agentCall('T1'),
        () => agentCall('T2'),
        () => failedCall('T1'),
        () => completedCall('T2', 'a2'),
        () => story.tell('agent_done', { id: 'main' }),
      ],
      a1: [() => spawn('a1'), () => works('a1')],
      a2: [() => spawn('a2'), () => works('a2'), () => story.tell('agent_done', { id: 'a2' })],
    })
    const owners = ['main', 'main', 'main', 'main', 'main', 'a1', 'a1', 'a2', 'a2', 'a2'] as const
    fc.assert(
      fc.property(fc.shuffledSubarray([...owners], { minLength: owners.length }), (order) => {
        story = tellStory()
        const left = queues()
        for (const owner of order) left[owner].shift()?.()
        expect(story.states()).toEqual({ main: 'done', a1: 'failed', a2: 'done' })
      }),
      { numRuns: 300 },
    )
  })
})

describe("agent that was reported under its call's name", () => {
  beforeEach(() => {
    story.tell('agent_spawn', { id: 'T1', parent_id: 's1', prompt_preview: 'look' })
    story.tell('agent_spawn', { id: 'T2', parent_id: 'T1' })
    story.tell('tool_use', { id: 'x', agent_id: 'T1', tool: 'Bash' })
    story.tell('tool_done', { id: 'x', agent_id: 'T1', tool: 'Bash', ok: false })
    story.tell('usage', { agent_id: 'T1', input: 5, cost_usd: 0.000_002 })
  })
  const link = () => story.tell('agent_link', { id: 'a1', tool_use_id: 'T1', parent_id: 'main' })

  it('merges with the row of its own name, including all counts and children', () => {
    spawn('a1')
    story.tell('tool_use', { id: 'y', agent_id: 'a1', tool: 'Bash' })
    story.tell('usage', { agent_id: 'a1', input: 7 })
    link()
    expect(story.states()).toEqual({ main: 'working', a1: 'working', T2: 'working' })
    expect(story.agent('T2')?.parent_id).toBe('a1')
    expect(story.agent('a1')).toMatchObject({
      tool_counts: { Bash: 2 },
      errors: 1,
      tool_errors: { Bash: 1 },
      usage: { input: 12, cost_micro_usd: 2, cost_unknown: 1 },
      started_at: 2_000,
      prompt_preview: 'look',
      subagent_type: 'X',
    })
    story.tell('agent_done', { id: 'T1' })
    expect(story.states().a1).toBe('done')
  })

  it('takes its children along when it had no row of its own', () => {
    link()
    expect(story.agent('T2')?.parent_id).toBe('a1')
    expect(story.agent('a1')).toMatchObject({ tool_counts: { Bash: 1 }, errors: 1 })
    story.tell('agent_spawn', { id: 'T3', parent_id: 'T1' })
    expect(story.agent('T3')?.parent_id).toBe('a1')
  })

  it('is the parent of agents that named it before anything else about it arrived', () => {
    story.tell('agent_spawn', { id: 'c', parent_id: 'T9' })
    story.tell('agent_link', { id: 'a9', tool_use_id: 'T9', parent_id: 'main' })
    expect(story.agent('c')?.parent_id).toBe('a9')
  })

  it('is never its own parent', () => {
    story.tell('agent_link', { id: 'c', parent_id: 'c', tool_use_id: 'Z' })
    expect(story.agent('c')?.parent_id).toBe('main')
  })
})

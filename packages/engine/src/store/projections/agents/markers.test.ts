import { describe, expect, it } from 'vitest'
import { tellStory } from './agents.test-kit.ts'

const call = (ok: boolean, id: string) => ({ id, tool: 'Bash', ok })

describe('skill of an agent', () => {
  it('is active until its scope ends, and succeeded if the last call in it did', () => {
    for (const end of ['prompt', 'agent_done'] as const)
      for (const ok of [true, false]) {
        const story = tellStory()
        story.tell('prompt')
        story.tell('skill_use', { skill: 'tidy', success: true })
        story.tell('tool_use', call(!ok, 'c1'))
        story.tell('tool_use', call(ok, 'c2'))
        story.tell('tool_done', call(ok, 'c2'))
        story.tell('tool_done', call(!ok, 'c1'))
        expect(story.agent('main')?.skill).toEqual({ name: 'tidy', ts: 2_000, success: null })
        story.tell(end, end === 'agent_done' ? { id: 'main' } : {})
        expect(story.agent('main')?.skill?.success).toBe(ok)
        story.tell('tool_done', call(!ok, 'c3'))
        expect(story.agent('main')?.skill?.success).toBe(ok)
      }
  })

  it('succeeds without calls in its scope, and fails when the last call never ended', () => {
    for (const calls of [[], ['c1']]) {
      const story = tellStory()
      story.tell('prompt')
      story.tell('skill_use', { skill: 'tidy', success: true })
      for (const id of calls) story.tell('tool_use', { id, tool: 'Bash' })
      story.tell('prompt')
      expect(story.agent('main')?.skill?.success).toBe(calls.length === 0)
    }
  })

  it('uses a call whose end arrived before, or without, its beginning', () => {
    const story = tellStory()
    story.tell('prompt')
    story.tell('skill_use', { skill: 'tidy', success: true })
    story.tell('tool_done', call(false, 'c1'))
    story.tell('tool_use', call(false, 'c1'))
    story.tell('agent_done', { id: 'main' })
    expect(story.agent('main')?.skill?.success).toBe(false)
  })

  it('fails when its own call fails, and is the newest one', () => {
    const story = tellStory()
    story.tell('prompt')
    story.tell('skill_use', { skill: 'tidy', success: false })
    story.tell('tool_done', call(true, 'c1'))
    expect(story.agent('main')?.skill).toMatchObject({ name: 'tidy', success: false })
    story.tell('skill_use', { skill: 'deploy' })
    story.tell('skill_use', { skill: 'older', ts: 1_500 })
    expect(story.agent('main')?.skill).toMatchObject({ name: 'deploy', success: null })
    story.tell('session_end')
    expect(story.agent('main')?.skill).toMatchObject({ name: 'deploy', success: true })
  })

  it('belongs to the agent that used it, without affecting others', () => {
    const story = tellStory()
    story.tell('agent_spawn', { id: 'a1' })
    story.tell('skill_use', { agent_id: 'a1', skill: 'tidy', success: true })
    story.tell('tool_done', call(false, 'c1'))
    story.tell('agent_done', { id: 'a1' })
    expect(story.agent('a1')?.skill?.success).toBe(true)
    expect(story.agent('main')?.skill).toBeUndefined()
  })
})

describe('reported skill', () => {
  it('creates no agent by itself, and is shown with a known one', () => {
    const story = tellStory()
    story.tell('skill_use', { skill: 'tidy', success: true })
    story.tell('skill_use', { agent_id: 'x', skill: 'tidy', success: false })
    expect(story.states()).toEqual({})
    story.tell('agent_spawn', { id: 'x' })
    story.tell('skill_use', { agent_id: 'x', skill: 'tidy', success: true })
    expect(story.states()).toEqual({ x: 'working' })
    expect(story.agent('x')?.skill).toMatchObject({ name: 'tidy' })
  })
})

describe('claims of an agent', () => {
  it('are counted, and the newest is shown', () => {
    const story = tellStory()
    story.tell('claim', { value: 'took 3 s', tier: 'REAL', ts: 5_000 })
    story.tell('claim', { value: 'took 2 s', tier: 'ESTIMATE-HTC', ts: 4_000 })
    expect(story.agent('main')?.claims).toEqual({
      count: 2,
      last: { value: 'took 3 s', tier: 'REAL', ts: 5_000 },
    })
  })

  it('belong to one agent that was reported under two names', () => {
    const story = tellStory()
    story.tell('claim', { agent_id: 'T1', value: 'one', tier: 'REAL' })
    story.tell('skill_use', { agent_id: 'T1', skill: 'tidy' })
    story.tell('claim', { agent_id: 'a1', value: 'two', tier: 'REAL' })
    story.tell('agent_link', { id: 'a1', tool_use_id: 'T1' })
    expect(story.agent('a1')).toMatchObject({
      claims: { count: 2, last: { value: 'two' } },
      skill: { name: 'tidy' },
    })
  })
})

describe("fields of an agent's row", () => {
  it('are written in one order, even if the row was read again in between', () => {
    const tellings = [
      ['claim', { value: 'one', tier: 'REAL' }],
      ['status', { shipped: 'partial', follow_ups: ['a'] }],
      ['skill_use', { skill: 'tidy' }],
      ['claim', { agent_id: 'a1', value: 'two', tier: 'REAL' }],
      ['tool_use', { agent_id: 'T1', id: 'c1', tool: 'Bash' }],
      ['skill_use', { agent_id: 'T1', skill: 'tidy' }],
      ['agent_link', { id: 'a1', tool_use_id: 'T1' }],
    ] as const
    const written = (readAgain: boolean) => {
      const story = tellStory()
      story.tell('prompt')
      for (const [event, fields] of tellings) {
        if (readAgain)
          for (const [key, row] of story.rows.entries()) story.rows.set(key, JSON.parse(JSON.stringify(row)))
        story.tell(event, fields)
      }
      return JSON.stringify(story.rows.entries())
    }
    expect(written(true)).toBe(written(false))
  })
})

describe('marker of an agent', () => {
  it('lists what is left to do until the next marker does', () => {
    const story = tellStory()
    story.tell('status', { shipped: 'partial', follow_ups: ['a', 'b'] })
    expect(story.agent('main')).toMatchObject({ outcome: 'partial', follow_ups: 2 })
    story.tell('status', { shipped: 'functional', follow_ups: [] })
    expect(story.agent('main')).toMatchObject({ outcome: 'functional', follow_ups: 0 })
  })

  it('of an earlier turn that is read late does not replace the current one', () => {
    const story = tellStory()
    story.tell('prompt', { ts: 100_000 })
    story.tell('agent_done', { id: 'main', outcome: 'partial' })
    story.tell('prompt', { ts: 200_000 })
    story.tell('status', { shipped: 'fail', via: 'transcript', ts: 101_000 })
    expect(story.agent('main')).toMatchObject({ state: 'working', outcome: null })
  })
})

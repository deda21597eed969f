import { beforeEach, describe, expect, it } from 'vitest'
import { type Story, tellStory } from './agents.test-kit.ts'

let story: Story
beforeEach(() => {
  story = tellStory()
})
const main = () => story.agent('main')
const DAY = 86_400_000

describe("a session's own agent", () => {
  it('is there and not at work until somebody asks it for something', () => {
    story.tell('session_start', { model: 'm' })
    expect(main()).toMatchObject({ state: 'done', model: 'm', outcome: null, ended_at: 1_000 })
    story.tell('prompt', { agent_id: 'main' })
    expect(main()).toMatchObject({ state: 'working', started_at: 1_000, ended_at: null })
  })

  it('works where its call is the first that is heard', () => {
    story.tell('session_start')
    story.tell('tool_done', { id: 't', tool: 'Bash', agent_id: 'main', ok: true })
    expect(main()?.state).toBe('working')
  })

  it('stays done when its session is compacted, opened again or only spoken of', () => {
    story.tell('prompt', { agent_id: 'main' })
    story.tell('agent_done', { id: 'main', outcome: 'partial' })
    const ended = main()?.ended_at
    story.tell('hook', { agent_id: 'main', hook: 'PreCompact' })
    story.tell('session_start', { reason: 'compact' })
    story.tell('notice', { agent_id: 'main', message: 'signed in' })
    expect(main()).toMatchObject({ state: 'done', outcome: 'partial', ended_at: ended })
    story.tell('session_end')
    story.tell('session_start', { reason: 'resume', ts: DAY })
    expect(main()).toMatchObject({ state: 'done', outcome: 'partial', ended_at: ended })
    story.tell('prompt', { agent_id: 'main' })
    expect(main()).toMatchObject({ state: 'working', outcome: null })
  })

  it('goes on when its session is compacted in the middle of a turn', () => {
    story.tell('prompt', { agent_id: 'main' })
    story.tell('session_start', { reason: 'compact' })
    expect(main()?.state).toBe('working')
  })

  it.each(['hook', 'notice', 'answer', 'agent_stuck', 'agent_lost', 'a_kind_of_their_own'])(
    'is not made by %s',
    (kind) => {
      story.tell(kind, { agent_id: 'main' })
      expect(story.states()).toEqual({})
    },
  )

  it('has nothing under way after a prompt, and what was broken off is counted once', () => {
    story.tell('prompt', { agent_id: 'main' })
    story.tell('tool_use', { id: 't1', tool: 'Bash', agent_id: 'main' })
    story.tell('prompt', { agent_id: 'main' })
    expect(main()?.doing).toBeNull()
    story.tell('tool_use', { id: 't2', tool: 'Read', agent_id: 'main' })
    story.tell('tool_done', { id: 't2', tool: 'Read', agent_id: 'main', ok: true })
    expect(main()?.doing).toBeNull()
    story.tell('tool_done', { id: 't1', tool: 'Bash', agent_id: 'main', ok: false })
    expect(main()).toMatchObject({ tool_counts: { Bash: 1, Read: 1 }, errors: 1 })
  })
})

describe('an agent of a session that ended', () => {
  const call = (id: string) => ({ id, agent_id: 'a', tool: 'Bash' })
  beforeEach(() => {
    story.tell('prompt', { agent_id: 'main' })
    story.tell('tool_use', call('q'))
  })
  const endAndResume = () => {
    story.tell('session_end')
    expect(story.states()).toEqual({ main: 'done', a: 'done' })
    story.tell('session_start', { reason: 'resume', ts: DAY })
    story.tell('prompt', { agent_id: 'main' })
    expect(story.states()).toEqual({ main: 'working', a: 'done' })
  }

  it.each([
    ['begins', () => story.tell('agent_spawn', { id: 'a' })],
    ['calls a tool', () => story.tell('tool_use', call('q9'))],
    ['waits', () => story.tell('agent_wait', { agent_id: 'a', reason: 'x' })],
  ])('is alive again when it %s in the session that goes on', (_, happen) => {
    endAndResume()
    happen()
    expect(story.agent('a')).toMatchObject({ ended_at: null })
    expect(['working', 'waiting']).toContain(story.states().a)
    story.tell('agent_done', { id: 'a', outcome: 'functional' })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'functional' })
  })

  it('is alive again where its caller had seen it end before', () => {
    story.tell('agent_link', { id: 'a', tool_use_id: 'T', status: 'completed' })
    endAndResume()
    story.tell('agent_spawn', { id: 'a' })
    expect(story.states().a).toBe('working')
    story.tell('agent_link', { id: 'a', tool_use_id: 'T2', status: 'completed' })
    expect(story.states().a).toBe('done')
  })

  it('stays ended by what comes late', () => {
    story.tell('session_end')
    story.tell('tool_use', call('q2'))
    story.tell('agent_spawn', { id: 'a' })
    story.tell('tool_done', { ...call('q2'), ok: true })
    story.tell('agent_done', { id: 'a', outcome: 'partial' })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'partial', tool_counts: { Bash: 2 } })
  })
})

describe('a failure that is read from the transcript after the session was over', () => {
  const failure = (ts: number) =>
    story.tell('agent_done', { id: 'main', error: 'API Error: 500', via: 'transcript', ts })

  it('makes the agent failed', () => {
    story.tell('prompt', { agent_id: 'main', ts: 100_000 })
    story.tell('session_end', { ts: 200_000 })
    expect(main()?.state).toBe('done')
    failure(199_000)
    expect(main()).toMatchObject({ state: 'failed', ended_at: 200_000 })
  })

  it('says nothing of the turn that followed it', () => {
    story.tell('prompt', { agent_id: 'main', ts: 100_000 })
    story.tell('agent_done', { id: 'main', ts: 110_000 })
    story.tell('prompt', { agent_id: 'main', ts: 112_000 })
    story.tell('agent_done', { id: 'main', ts: 150_000 })
    failure(109_000)
    expect(main()?.state).toBe('done')
  })

  it('says nothing of the session once it is opened again', () => {
    story.tell('prompt', { agent_id: 'main', ts: 100_000 })
    story.tell('session_end', { ts: 200_000 })
    story.tell('session_start', { reason: 'resume', ts: 300_000 })
    failure(199_000)
    story.tell('prompt', { agent_id: 'main', ts: 301_000 })
    story.tell('agent_done', { id: 'main', ts: 302_000 })
    expect(main()?.state).toBe('done')
  })
})

describe('calls at once', () => {
  it.each([70, 250])('%i of them are counted once each', (count) => {
    story.tell('prompt', { agent_id: 'main' })
    const each = (event: string, more: object) => {
      for (let n = 0; n < count; n += 1)
        story.tell(event, { id: `c${n}`, tool: 'Read', agent_id: 'main', ...more })
    }
    each('tool_use', {})
    each('tool_done', { ok: true })
    expect(main()).toMatchObject({ tool_counts: { Read: count }, doing: null })
  })
})

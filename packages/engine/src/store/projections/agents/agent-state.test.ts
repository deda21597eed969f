import { beforeEach, describe, expect, it } from 'vitest'
import { type Story, tellStory } from './agents.test-kit.ts'

let story: Story
beforeEach(() => {
  story = tellStory()
})
const main = () => story.agent('main')
const DAY = 86_400_000

describe("a session's own agent", () => {
  it('exists without working until somebody prompts it', () => {
    story.tell('session_start', { model: 'm' })
    expect(main()).toMatchObject({ state: 'done', model: 'm', outcome: null, ended_at: 1_000 })
    story.tell('prompt', { agent_id: 'main' })
    expect(main()).toMatchObject({ state: 'working', started_at: 1_000, ended_at: null })
  })

  it('works when its call is the first event received', () => {
    story.tell('session_start')
    story.tell('tool_done', { id: 't', tool: 'Bash', agent_id: 'main', ok: true })
    expect(main()?.state).toBe('working')
  })

  it('stays done when its session is compacted, reopened or only mentioned', () => {
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

  it('continues when its session is compacted in the middle of a turn', () => {
    story.tell('prompt', { agent_id: 'main' })
    story.tell('session_start', { reason: 'compact' })
    expect(main()?.state).toBe('working')
  })

  it.each(['hook', 'notice', 'answer', 'agent_stuck', 'agent_lost', 'a_kind_of_their_own'])(
    'is not created by %s',
    (kind) => {
      story.tell(kind, { agent_id: 'main' })
      expect(story.states()).toEqual({})
    },
  )

  it('has nothing under way after a prompt, and counts interrupted calls once', () => {
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

describe('agent of a session that ended', () => {
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
  ])('is alive again when it %s in the resumed session', (_, happen) => {
    endAndResume()
    happen()
    expect(story.agent('a')).toMatchObject({ ended_at: null })
    expect(['working', 'waiting']).toContain(story.states().a)
    story.tell('agent_done', { id: 'a', outcome: 'functional' })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'functional' })
  })

  it('is alive again even if its caller had seen it end before', () => {
    story.tell('agent_link', { id: 'a', tool_use_id: 'T', status: 'completed' })
    endAndResume()
    story.tell('agent_spawn', { id: 'a' })
    expect(story.states().a).toBe('working')
    story.tell('agent_link', { id: 'a', tool_use_id: 'T2', status: 'completed' })
    expect(story.states().a).toBe('done')
  })

  it('stays ended when late events arrive', () => {
    story.tell('session_end')
    story.tell('tool_use', call('q2'))
    story.tell('agent_spawn', { id: 'a' })
    story.tell('tool_done', { ...call('q2'), ok: true })
    story.tell('agent_done', { id: 'a', outcome: 'partial' })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'partial', tool_counts: { Bash: 2 } })
  })
})

describe('failure read from the transcript after the session was over', () => {
  const failure = (ts: number) =>
    story.tell('agent_done', { id: 'main', error: 'API Error: 500', via: 'transcript', ts })

  it('makes the agent failed', () => {
    story.tell('prompt', { agent_id: 'main', ts: 100_000 })
    story.tell('session_end', { ts: 200_000 })
    expect(main()?.state).toBe('done')
    failure(199_000)
    expect(main()).toMatchObject({ state: 'failed', outcome: 'fail', ended_at: 200_000 })
  })

  it('does not affect the turn that followed it', () => {
    story.tell('prompt', { agent_id: 'main', ts: 100_000 })
    story.tell('agent_done', { id: 'main', ts: 110_000 })
    story.tell('prompt', { agent_id: 'main', ts: 112_000 })
    story.tell('agent_done', { id: 'main', ts: 150_000 })
    failure(109_000)
    expect(main()?.state).toBe('done')
  })

  it('does not affect the session once it is reopened', () => {
    story.tell('prompt', { agent_id: 'main', ts: 100_000 })
    story.tell('session_end', { ts: 200_000 })
    story.tell('session_start', { reason: 'resume', ts: 300_000 })
    failure(199_000)
    story.tell('prompt', { agent_id: 'main', ts: 301_000 })
    story.tell('agent_done', { id: 'main', ts: 302_000 })
    expect(main()?.state).toBe('done')
  })
})

describe('parallel calls', () => {
  it.each([70, 250])('count once each for %i of them', (count) => {
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

describe('stopped or lost agent', () => {
  const begun = () => {
    story.tell('prompt', { agent_id: 'main', ts: 100_000 })
    story.tell('agent_spawn', { id: 'a', ts: 101_000 })
    story.tell('tool_use', { id: 'q', tool: 'Bash', agent_id: 'a', ts: 102_000 })
  }

  it('is lost at its last sign of life, not when that was judged', () => {
    begun()
    story.tell('agent_lost', { agent_id: 'a', ts: 2_000_000 })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'lost', ended_at: 102_000 })
    // What the agent wrote until then may be read later.
    story.tell('tool_done', { id: 'q', tool: 'Bash', agent_id: 'a', ts: 104_000, via: 'transcript' })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'lost', ended_at: 104_000 })
    story.tell('tool_use', { id: 'r', tool: 'Bash', agent_id: 'a', ts: 2_001_000 })
    expect(story.agent('a')).toMatchObject({ state: 'working', outcome: null, ended_at: null })
  })

  it.each([
    ['its transcript', 'agent_done', { id: 'a', via: 'transcript' }, null],
    [
      'a marker in its transcript',
      'status',
      { agent_id: 'a', shipped: 'partial', via: 'transcript' },
      'partial',
    ],
    ['a hook', 'agent_done', { id: 'a' }, null],
    ['the call that made it', 'agent_link', { id: 'a', tool_use_id: 'T', status: 'completed' }, null],
  ])('is not lost once its end is reported by %s', (_by, event, fields, outcome) => {
    begun()
    story.tell('agent_lost', { agent_id: 'a', ts: 2_000_000 })
    story.tell(event, { ...fields, ts: 150_000 })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome, ended_at: 150_000 })
  })

  it('is not lost between two turns or after its end', () => {
    begun()
    story.tell('agent_done', { id: 'a', outcome: 'partial', ts: 103_000 })
    story.tell('agent_lost', { agent_id: 'a', ts: 2_000_000 })
    story.tell('hook', { agent_id: 'main', hook: 'Stop', ts: 104_000 })
    story.tell('agent_lost', { agent_id: 'main', ts: 2_000_000 })
    expect(story.agent('a')).toMatchObject({ outcome: 'partial', ended_at: 103_000 })
    expect(main()).toMatchObject({ state: 'done', outcome: null, ended_at: 104_000 })
  })

  it('is stopped when its session ended first, until its own end arrives', () => {
    begun()
    story.tell('session_end', { ts: 110_000 })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'stopped', ended_at: 110_000 })
    expect(main()).toMatchObject({ state: 'done', outcome: 'stopped' })
    story.tell('agent_done', { id: 'a', ts: 109_000, via: 'transcript' })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: null })
  })

  it('stays stopped when the end that arrives after its session reports the same', () => {
    story.tell('agent_spawn', { id: 'a', ts: 100_000 })
    story.tell('session_end', { ts: 110_000 })
    story.tell('agent_link', { id: 'a', status: 'completed', outcome: 'stopped', ts: 110_200 })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'stopped' })
    story.tell('agent_done', { id: 'a', via: 'transcript', ts: 110_100 })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'stopped' })
  })

  it.each([
    ['after its session was over, so it did not finish', 110_100, 'stopped'],
    ['before its session was over, so it finished', 109_900, null],
  ])('ended, by its transcript, %s', (_when, ts, outcome) => {
    story.tell('agent_spawn', { id: 'a', ts: 100_000 })
    story.tell('session_end', { ts: 110_000 })
    story.tell('agent_done', { id: 'a', via: 'transcript', ts })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome })
  })

  it('is stopped when its session ended in the middle of its call', () => {
    story.tell('prompt', { agent_id: 'main' })
    story.tell('tool_use', { id: 'q', tool: 'Bash', agent_id: 'main' })
    story.tell('session_end')
    expect(main()).toMatchObject({ state: 'done', outcome: 'stopped' })
  })

  const turn = {
    prompt: ['prompt', { agent_id: 'main', ts: 100_000 }],
    call: ['tool_use', { id: 'q', tool: 'Bash', agent_id: 'main', ts: 101_000 }],
    result: ['tool_done', { id: 'q', tool: 'Bash', agent_id: 'main', ok: true, ts: 102_000 }],
    stop: ['agent_done', { id: 'main', ts: 103_000 }],
    failure: ['agent_done', { id: 'main', error: 'overloaded', ts: 103_000 }],
    rest: ['hook', { agent_id: 'main', hook: 'Stop', ts: 103_000 }],
    idle: ['agent_wait', { agent_id: 'main', wait: 'idle_prompt', ts: 163_000 }],
    next: ['prompt', { agent_id: 'main', ts: 200_000 }],
    close: ['session_end', { reason: 'other', ts: 300_000 }],
    leave: ['session_end', { reason: 'prompt_input_exit', ts: 300_000 }],
    mistake: ['session_end', { reason: 'sub-agent', ts: 300_000 }],
  } as const
  type Step = keyof typeof turn
  const outcomeAfter = (steps: readonly Step[], fields: object = {}) => {
    story = tellStory()
    for (const step of steps) story.tell(turn[step][0], { ...turn[step][1], ...fields })
    return main()?.outcome
  }

  it.each<[string, 'stopped' | 'fail' | null, ...Step[]]>([
    ['while it thinks about its first reply', 'stopped', 'prompt', 'close'],
    ['between two calls', 'stopped', 'prompt', 'call', 'result', 'close'],
    ['during a later turn', 'stopped', 'prompt', 'stop', 'next', 'close'],
    ['during a turn after it rested', 'stopped', 'prompt', 'rest', 'next', 'close'],
    ['during a turn that a person interrupted, and then left', 'stopped', 'prompt', 'stop', 'next', 'leave'],
    ['after its turn', null, 'prompt', 'stop', 'close'],
    ['after its turn left work in the background', null, 'prompt', 'rest', 'close'],
    ['after its turn failed', 'fail', 'prompt', 'failure', 'close'],
    ['while it waits for its next prompt', null, 'prompt', 'idle', 'close'],
    ['because it was part of another one', null, 'prompt', 'mistake'],
    ['by a person at its prompt, without a hook for the end of turns', null, 'prompt', 'leave'],
  ])('of a session that ended %s has the outcome %s', (_when, outcome, ...steps) => {
    expect(outcomeAfter(steps)).toBe(outcome)
  })

  it('of a source that may report no end of turns is stopped only in a call or after it reported one', () => {
    const own = { source: 'my-agent' }
    expect(outcomeAfter(['prompt', 'call', 'result', 'close'], own)).toBeNull()
    expect(outcomeAfter(['prompt', 'call', 'close'], own)).toBe('stopped')
    expect(outcomeAfter(['prompt', 'stop', 'next', 'close'], own)).toBe('stopped')
  })

  it('has the same outcome in whatever order the events of its session arrive', () => {
    const orders = <T>(all: readonly T[]): readonly (readonly T[])[] =>
      all.length < 2
        ? [all]
        : all.flatMap((one, at) => orders(all.toSpliced(at, 1)).map((others) => [one, ...others]))
    const outcomes = (...steps: Step[]) => [...new Set(orders(steps).map((order) => outcomeAfter(order)))]
    expect(outcomes('prompt', 'call', 'result', 'stop', 'close')).toEqual([null])
    expect(outcomes('call', 'result', 'close')).toEqual(['stopped'])
  })

  it.each(['before', 'after'])(
    'is stopped, not failed, by the call that made it, linked %s its end',
    (when) => {
      begun()
      const link = () => story.tell('agent_link', { id: 'a', tool_use_id: 'T', ts: 102_500 })
      if (when === 'before') link()
      story.tell('agent_link', { tool_use_id: 'T', status: 'failed', outcome: 'stopped', ts: 105_000 })
      if (when === 'after') link()
      expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'stopped' })
    },
  )

  it('is not stopped by a turn that was interrupted before its newest prompt', () => {
    story.tell('prompt', { agent_id: 'main', prompt_id: 'p1', ts: 100_000 })
    story.tell('prompt', { agent_id: 'main', prompt_id: 'p2', ts: 120_000 })
    const broken = { id: 'main', prompt_id: 'p1', outcome: 'stopped', via: 'transcript', ts: 119_500 }
    story.tell('agent_done', broken)
    expect(main()).toMatchObject({ state: 'working', outcome: null })
  })

  it('keeps its latest outcome, whichever arrives first', () => {
    begun()
    story.tell('agent_done', { id: 'a', outcome: 'fail', ts: 103_000 })
    story.tell('agent_spawn', { id: 'a', ts: 110_000 })
    story.tell('agent_done', { id: 'a', outcome: 'functional', ts: 120_000 })
    story.tell('agent_link', { id: 'a', tool_use_id: 'T', status: 'completed', outcome: 'fail', ts: 104_000 })
    expect(story.agent('a')).toMatchObject({ state: 'done', outcome: 'functional' })
  })
})

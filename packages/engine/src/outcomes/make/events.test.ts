import { readFileSync } from 'node:fs'
import { createCapture, createClaudeCodeHooks } from '@panoptes/engine/capture'
import { type Account, type StoredEvent, success } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountOfEvents } from './events.ts'
import { fixture, MAKING, START } from './make.test-kit.ts'

/** Events of recorded hooks, each repeated this often, one second apart. */
function heard(name: string, times = 1): readonly StoredEvent[] {
  const reader = createClaudeCodeHooks()
  const capture = createCapture({ host: 'here', findAgents: async () => success(new Map()) })
  const lines = readFileSync(fixture(`claude-code/hooks/${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean)
  const told = lines.flatMap((line) => Array.from({ length: times }, () => line))
  const events = told.flatMap((line, at) => capture.hook(reader, line, START + at * 1_000))
  return events.map((event, at) => ({ ...event, seq: at + 1 }) as StoredEvent)
}

const accountFrom = (events: Iterable<StoredEvent>): Account =>
  accountOfEvents({ source: 'claude-code', session_id: 's', events, fingerprint: 'f', making: MAKING })

const rows = ({ agents }: Account) =>
  Object.fromEntries(
    agents.map(({ agent_id, outcome, stubs, tool_stats, errors, parent_id, finished }) => [
      agent_id.slice(0, 4),
      [outcome, stubs, tool_stats, errors, parent_id, finished],
    ]),
  )

describe.each([1, 2])('recorded hooks, each delivered %d times', (times) => {
  it('produce the agents of the parallel run', () => {
    const account = accountFrom(heard('parallel', times))
    expect(rows(account)).toEqual({
      main: [null, null, { Agent: 3, Bash: 1 }, 0, null, true],
      a74b: ['functional', 0, { Bash: 1, Read: 1 }, 0, 'main', true],
      abc9: ['partial', 2, { Bash: 2 }, 0, 'main', true],
      a24c: [null, null, { Read: 1 }, 1, 'main', true],
    })
    const [partial] = account.agents.filter(({ outcome }) => outcome === 'partial')
    expect(partial).toMatchObject({
      subagent_type: 'general-purpose',
      description: 'count',
      model: 'claude-opus-4-8[1m]',
      // Hooks report no tokens.
      tokens_in: null,
      tokens_out: null,
      cost_micro_usd: null,
      cost_unknown: 0,
      status: { behaviour_verified: 'no', follow_ups: ['count hidden files'] },
      said_at: { n: null, quote: 'shipped: partial' },
    })
    expect(account.cells).toEqual([])
  })

  it('produce background agents, too', () => {
    expect(rows(accountFrom(heard('parallel-background', times)))).toEqual({
      main: [null, null, { Agent: 3, Bash: 1 }, 0, null, true],
      aa1a: ['functional', 0, { Bash: 1, Read: 1 }, 0, 'main', true],
      ad93: ['partial', 2, { Bash: 2 }, 0, 'main', true],
      a71c: [null, null, { Read: 1 }, 1, 'main', true],
    })
  })

  it('produce three claims', () => {
    const { claims } = accountFrom(heard('files', times))
    expect(
      claims.map(({ place, value, evidence_tier, pointer }) => [place, value, evidence_tier, pointer]),
    ).toEqual([
      [0, 'Edited two files. Build took 3.2 s', 'REAL', 'bash:toolu_x'],
      [1, 'and a full run takes about 5 minutes', 'ESTIMATE-HTC', 'similar-project'],
      [2, '; last week it was 12 tests', 'FROM-JOURNAL', 'time-metrics#42'],
    ])
    expect(new Set(claims.map(({ message_id }) => message_id)).size).toBe(1)
  })

  it('produce one successful use of a skill', () => {
    const { skills } = accountFrom(heard('skill', times))
    expect(skills).toMatchObject([
      { skill: 'tidy', success: true, how: 'call', id: 'toolu_20_0', reason: null },
    ])
    // From the third payload to the sixth.
    expect(skills[0]?.duration_ms).toBe(times === 1 ? 3_000 : 6_000)
  })

  it('produce the failures', () => {
    expect(rows(accountFrom(heard('failure', times)))).toEqual({
      main: [null, null, { Bash: 1, Read: 1 }, 2, null, true],
    })
  })
})

let seq = 0
const event = (kind: string, at: number, more: Record<string, unknown> = {}): StoredEvent => {
  seq += 1
  const envelope = {
    v: 1 as const,
    key: `k${seq}`,
    seq,
    host: 'here',
    source: 'claude-code',
    session_id: 's',
  }
  return { ...envelope, ts: START + at * 1_000, event: kind, ...more }
}

describe('account made from events', () => {
  it('counts each reply once, by its own cost or by the price', () => {
    const usage = { model: 'claude-opus-4-8', input: 100, output: 10, cache_read: 1_000, cache_write: 0 }
    const account = accountFrom([
      event('usage', 1, { id: 'r1', ...usage, output: 1 }),
      event('usage', 2, { id: 'r1', ...usage }),
      event('usage', 3, { id: 'r1', ...usage, key: 'told again' }),
      event('usage', 4, { id: 'r2', ...usage, cost_usd: 0.5 }),
      event('usage', 5, { id: 'r3', ...usage, model: 'nobody-lists-it' }),
      event('usage', 6, { agent_id: 'a', model: 'nobody-lists-it' }),
      event('agent_done', 7, { id: 'b', cost_usd: 0.25 }),
    ])
    // 100 × 5 + 10 × 25 + 1,000 × 0.5 = 1,250; the cache saved 1,000 × 4.5 for each priced reply.
    expect(account.cells).toMatchObject([
      { agent_id: 'a', replies: 1, usage_unknown: 1, cost_unknown: 0 },
      { agent_id: 'b', model: null, cost_micro_usd: 250_000 },
      {
        agent_id: 'main',
        replies: 2,
        tokens_in: 200,
        tokens_out: 20,
        cost_micro_usd: 501_250,
        saved_micro_usd: 9_000,
      },
      {
        agent_id: 'main',
        replies: 1,
        tokens_in: 100,
        cost_micro_usd: 0,
        cost_unknown: 1,
        saved_micro_usd: 0,
      },
    ])
    const [main, a, b] = ['main', 'a', 'b'].map((id) =>
      account.agents.find(({ agent_id }) => agent_id === id),
    )
    expect(main).toMatchObject({
      tokens_in: 300,
      tokens_out: 30,
      cost_micro_usd: 501_250,
      cost_unknown: 1,
      model: 'claude-opus-4-8',
    })
    expect(a).toMatchObject({ tokens_in: null, cost_micro_usd: null, cost_unknown: 1 })
    expect(b).toMatchObject({ tokens_in: null, cost_micro_usd: 250_000, finished: true })
  })

  it('keeps a recorded skill use unchanged and creates no agent for it', () => {
    const account = accountFrom([
      event('skill_use', 1, {
        id: 'u1',
        source: 'panoptes',
        from_hook: true,
        skill: 'tidy',
        success: false,
        duration_ms: 7,
        trajectory_id: 't',
      }),
      event('skill_use', 2, {
        id: 'u2',
        source: 'panoptes',
        from_hook: true,
        skill: 'tidy',
        success: true,
        agent_id: 'a',
      }),
    ])
    expect(account.agents).toEqual([])
    expect(account.skills).toMatchObject([
      { id: 'u1', success: false, duration_ms: 7, trajectory_id: 't', how: 'recorded' },
      { id: 'u2', success: true, duration_ms: null, agent_id: 'a', how: 'recorded' },
    ])
  })

  it('judges a skill reported without its call by the calls after it', () => {
    const use = (at: number, agent: string) =>
      event('skill_use', at, { agent_id: agent, skill: 'tidy', success: true })
    const { skills } = accountFrom([
      use(1, 'alone'),
      use(1, 'failing'),
      event('tool_use', 2, { id: 'c', agent_id: 'failing', tool: 'Bash' }),
      event('tool_done', 3, {
        id: 'c',
        agent_id: 'failing',
        tool: 'Bash',
        ok: false,
        error_preview: 'exit 1',
      }),
      event('agent_done', 4, { id: 'failing' }),
      use(1, 'working'),
      event('tool_use', 2, { id: 'd', agent_id: 'working', tool: 'Bash' }),
    ])
    expect(skills.map(({ agent_id, success, reason }) => [agent_id, success, reason]).sort()).toEqual([
      ['alone', true, null],
      ['failing', false, 'Bash failed: exit 1'],
      ['working', null, null],
    ])
  })

  it('ends a scope with the next skill, prompt, stop or session end, but not for another agent', () => {
    const skill = (at: number, id: string) => [
      event('tool_use', at, { id, agent_id: 'main', tool: 'Skill' }),
      event('tool_done', at + 0.5, { id, agent_id: 'main', tool: 'Skill', ok: true }),
      event('skill_use', at + 0.5, { id, agent_id: 'main', skill: `s-${id}`, success: true }),
    ]
    const bash = (at: number, id: string, ok: boolean, agent = 'main') => [
      event('tool_use', at, { id, agent_id: agent, tool: 'Bash' }),
      event('tool_done', at + 0.25, { id, agent_id: agent, tool: 'Bash', ok }),
    ]
    const { skills } = accountFrom([
      ...skill(1, 'a'),
      ...bash(2, 'b1', true),
      ...skill(3, 'b'),
      ...bash(4, 'b2', false),
      ...bash(5, 'b3', true),
      event('prompt', 6, { agent_id: 'main' }),
      ...bash(7, 'b4', false),
      ...skill(8, 'c'),
      ...bash(9, 'b5', false),
      event('agent_done', 10, { id: 'main' }),
      ...bash(11, 'b6', true),
      ...skill(12, 'd'),
      ...bash(13, 'x', false, 'other'),
      event('session_end', 14),
    ])
    expect(skills.map(({ id, success, duration_ms }) => [id, success, duration_ms])).toEqual([
      ['a', true, 1_250],
      ['b', true, 2_250],
      ['c', false, 1_250],
      ['d', true, 500],
    ])
  })

  it('attributes replies to the skill whose scope they are in', () => {
    const usage = { model: 'claude-opus-4-8', input: 1, output: 1 }
    const { cells } = accountFrom([
      event('tool_use', 1, { id: 'a', tool: 'Skill' }),
      event('usage', 1, { id: 'r1', ...usage }),
      event('skill_use', 2, { id: 'a', skill: 'tidy', success: true }),
      event('usage', 3, { id: 'r2', ...usage }),
      event('usage', 4, { id: 'r3', ...usage }),
      event('agent_done', 4, { id: 'main' }),
      event('usage', 5, { id: 'r4', ...usage }),
    ])
    expect(cells.map(({ skill, replies }) => [skill, replies])).toEqual([
      [null, 2],
      ['tidy', 2],
    ])
  })

  it('distinguishes a restarted agent from a finished one', () => {
    const life = (...kinds: readonly string[]) =>
      accountFrom(kinds.map((kind, at) => event(kind, at, { id: 'a' }))).agents[0]?.finished
    expect(life('agent_spawn')).toBe(false)
    expect(life('agent_spawn', 'agent_done')).toBe(true)
    expect(life('agent_done', 'agent_spawn')).toBe(true)
    expect(life('agent_spawn', 'agent_done', 'agent_spawn')).toBe(false)
    expect(life('agent_spawn', 'agent_done', 'agent_spawn', 'agent_done')).toBe(true)
    expect(life('agent_spawn', 'session_end')).toBe(true)
    const linked = (status: string) =>
      accountFrom([event('agent_link', 1, { id: 'a', tool_use_id: 'c', status })])
    expect(linked('launched').agents[0]?.finished).toBe(false)
    expect(linked('failed').agents[0]?.finished).toBe(true)
  })

  it.each([
    ['stopped', { event: 'agent_done', id: 'a', outcome: 'stopped' }],
    ['stopped', { event: 'agent_link', id: 'a', tool_use_id: 'T', status: 'completed', outcome: 'stopped' }],
    ['stopped', { event: 'agent_link', tool_use_id: 'T', status: 'failed', outcome: 'stopped' }],
    ['fail', { event: 'agent_done', id: 'a', error: '529 overloaded' }],
    ['fail', { event: 'agent_link', tool_use_id: 'T', status: 'failed' }],
    ['lost', { event: 'agent_lost', agent_id: 'a' }],
  ])('records that an agent ended as %s, whatever its marker says, until it restarts', (outcome, end) => {
    const told = [
      { event: 'agent_spawn', id: 'a' },
      { event: 'agent_link', id: 'a', tool_use_id: 'T', status: 'launched' },
      { event: 'status', agent_id: 'a', shipped: 'functional' },
      end,
    ]
    const ended = (events: readonly { readonly event: string }[]) =>
      accountFrom(events.map((each, at) => event(each.event, at, { ...each }))).agents.find(
        ({ agent_id }) => agent_id === 'a',
      )?.outcome
    expect(ended(told)).toBe(outcome)
    expect(ended([...told, told[0] ?? end])).toBe('functional')
  })

  it('takes an agent for lost only until its end is reported, however late', () => {
    const outcome = (...late: readonly object[]) =>
      accountFrom([
        event('agent_spawn', 0, { id: 'a' }),
        event('tool_use', 2, { id: 't', tool: 'Bash', agent_id: 'a' }),
        event('agent_lost', 90, { agent_id: 'a' }),
        ...late.map((each) => event('agent_done', 3, { id: 'a', ...each })),
      ]).agents.find(({ agent_id }) => agent_id === 'a')?.outcome
    expect(outcome()).toBe('lost')
    expect(outcome({ outcome: 'functional' })).toBe('functional')
    expect(outcome({})).toBeNull()
    // The end of an earlier part of its life says nothing about the rest.
    expect(outcome({ ts: 1 })).toBe('lost')
  })

  it('gives a skill no duration if none was reported', () => {
    const uses = (...events: readonly object[]) =>
      accountFrom(
        events.map((each, n) => event(String((each as { event: string }).event), n, { ...each })),
      ).skills.map(({ success, duration_ms }) => [success, duration_ms])
    const use = { event: 'skill_use', id: 'k', skill: 'tidy', success: true }
    expect(uses(use)).toEqual([[true, null]])
    expect(uses({ ...use, duration_ms: 40 })).toEqual([[true, 40]])
    expect(
      uses(use, { event: 'tool_done', id: 'k', tool: 'Skill', ok: true }, { event: 'session_end' }),
    ).toEqual([[true, null]])
  })

  it("names an agent's parent as Live does", () => {
    const told = [
      { event: 'agent_spawn', id: 'a', parent_id: 's' },
      { event: 'agent_spawn', id: 'call', parent_id: 'a' },
      { event: 'agent_link', id: 'b', tool_use_id: 'call', parent_id: 'b' },
    ]
    const { agents } = accountFrom(told.map((each, n) => event(each.event, n, { ...each })))
    expect(Object.fromEntries(agents.map(({ agent_id, parent_id }) => [agent_id, parent_id]))).toMatchObject({
      a: 'main',
      b: 'a',
    })
  })

  it('leaves stubs unknown if an agent did not report them', () => {
    const told = [
      { event: 'agent_done', id: 'a', outcome: 'functional' },
      { event: 'agent_done', id: 'b', outcome: 'functional', stubs: 0 },
    ]
    const { agents } = accountFrom(told.map((each, n) => event(each.event, n, { ...each })))
    expect(agents.map(({ stubs }) => stubs).sort()).toEqual([0, null])
  })

  it("uses the client's duration of an agent, and not that of the call that launched it", () => {
    const of = (link: object, end: object = {}) =>
      accountFrom([
        event('agent_spawn', 0, { id: 'a' }),
        event('tool_use', 0, { id: 't', tool: 'Agent' }),
        event('tool_done', 1, { id: 't', tool: 'Agent', ok: true, duration_ms: 87 }),
        event('agent_link', 1, { id: 'a', tool_use_id: 't', ...link }),
        event('agent_done', 9, { id: 'a', ...end }),
      ]).agents.find(({ agent_id }) => agent_id === 'a')?.duration_ms
    const second = of({ status: 'launched', background: true })
    expect(second).toBeGreaterThan(87)
    expect(of({ status: 'launched', background: true, duration_ms: 2_357 })).toBe(2_357)
    expect(of({ status: 'completed', background: false })).toBe(87)
  })

  it('counts the work of a stopped agent until its end was reported, and of others until they ended', () => {
    const of = (...ends: readonly StoredEvent[]) =>
      accountFrom([event('agent_spawn', 0, { id: 'a' }), ...ends]).agents.find(
        ({ agent_id }) => agent_id === 'a',
      )?.duration_ms
    const report = (status: string) => event('agent_link', 9, { id: 'a', status, outcome: 'stopped' })
    const whole = of(event('agent_done', 9, { id: 'a' }))
    expect(of(report('failed'))).toBe(whole)
    expect(
      of(event('agent_done', 9, { id: 'a' }), event('agent_link', 20, { id: 'a', status: 'completed' })),
    ).toBe(whole)
  })

  it('does not depend on the order of agents and ignores duplicates', () => {
    const told = heard('parallel')
    const queues = new Map<string, StoredEvent[]>()
    for (const each of told) {
      const owner = String(each.agent_id ?? each.id ?? 'session')
      queues.set(owner, [...(queues.get(owner) ?? []), each])
    }
    const expected = accountFrom(told)
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), fc.array(fc.nat(told.length - 1)), (turns, again) => {
        const left = [...queues.values()].map((queue) => [...queue])
        const mixed: StoredEvent[] = []
        for (const turn of turns) {
          const open = left.filter(({ length }) => length > 0)
          if (open.length === 0) break
          mixed.push((open[turn % open.length] as StoredEvent[]).shift() as StoredEvent)
        }
        expect(accountFrom([...mixed, ...again.map((at) => told[at] as StoredEvent)])).toEqual(expected)
      }),
    )
  })
})

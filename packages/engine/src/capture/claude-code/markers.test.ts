import { type NewEvent, success } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { type Capture, createCapture } from '../capture.ts'
import { createAgentFiles } from './agent-files.ts'
import { fromHooks, store, written } from './hooks-and-transcript.test-kit.ts'
import { createClaudeCodeHooks } from './read.ts'
import { type Payload, recording } from './recordings.test-kit.ts'
import { createTranscriptReader } from './transcript.ts'
import { newState } from './transcript-state.ts'

const newCapture = (): Capture =>
  createCapture({ host: 'here', findAgents: async () => success(new Map()), now: () => 9e12 })

/** Returns the stored events of these payloads, sent `step` milliseconds apart. */
function stored(payloads: readonly Payload[], step = 1, capture = newCapture()): readonly NewEvent[] {
  const reader = createClaudeCodeHooks()
  const events = new Map<string, NewEvent>()
  payloads.forEach((payload, at) => {
    for (const event of capture.hook(reader, JSON.stringify(payload), 1_000 + at * step))
      if (!events.has(event.key)) events.set(event.key, event)
  })
  return [...events.values()]
}

const claimsOf = (events: readonly NewEvent[]) =>
  events.flatMap(({ event, agent_id, value, tier, pointer, place }) =>
    event === 'claim' ? [[agent_id, place, value, tier, pointer]] : [],
  )
const statusesOf = (events: readonly NewEvent[]) =>
  events.flatMap(({ event, agent_id, shipped, stubs, verified, follow_ups }) =>
    event === 'status' ? [[agent_id, shipped, stubs, verified, follow_ups]] : [],
  )
const skillsOf = (events: readonly NewEvent[]) =>
  events.flatMap(({ event, agent_id, skill, success: did }) =>
    event === 'skill_use' ? [[agent_id, skill, did]] : [],
  )
const TRUTH = {
  parallel: {
    claims: [],
    skills: [],
    statuses: [
      ['abc9b853760c2928d', 'partial', 2, 'no', ['count hidden files']],
      ['a74ba0b63b86e7795', 'functional', 0, 'yes', []],
    ],
  },
  files: {
    claims: [
      ['main', 0, 'Edited two files. Build took 3.2 s', 'REAL', 'bash:toolu_x'],
      ['main', 1, 'and a full run takes about 5 minutes', 'ESTIMATE-HTC', 'similar-project'],
      ['main', 2, '; last week it was 12 tests', 'FROM-JOURNAL', 'time-metrics#42'],
    ],
    skills: [],
    statuses: [],
  },
  skill: { claims: [], skills: [['main', 'tidy', true]], statuses: [] },
} as const
const face = (events: readonly NewEvent[]) => ({
  claims: claimsOf(events),
  skills: skillsOf(events),
  statuses: statusesOf(events),
})
const RUNS = Object.keys(TRUTH) as (keyof typeof TRUTH)[]

describe('claims and skills of a recorded run', () => {
  const steps = [1, 7_000, 90_000]

  it.each(RUNS)('are reported once by the hooks of %s, however often they fire', (name) => {
    const payloads = recording(name)
    for (const step of steps) {
      expect(face(stored(payloads, step))).toEqual(TRUTH[name])
      const twice = payloads.flatMap((payload) => [payload, payload])
      expect(face(stored(twice, step))).toEqual(TRUTH[name])
      expect(face(stored([...payloads, ...payloads], step))).toEqual(TRUTH[name])
    }
  })

  it.each(RUNS)('are reported by the transcript of %s too, and once by both', (name) => {
    const own = (events: readonly NewEvent[]) => ({
      ...face(events),
      statuses: statusesOf(events).toSorted((a, b) => String(b[0]).localeCompare(String(a[0]))),
    })
    const expected = own(store(fromHooks(name)).events)
    expect(face(store(fromHooks(name)).events)).toEqual(TRUTH[name])
    for (const order of [
      written(name),
      [...fromHooks(name), ...written(name)],
      [...written(name), ...fromHooks(name)],
      [...written(name), ...fromHooks(name), ...fromHooks(name), ...written(name)],
    ])
      expect(own(store(order).events)).toEqual(expected)
  })
})

const hook = (hook_event_name: string, fields: object = {}): Payload => ({
  session_id: 's1',
  hook_event_name,
  ...fields,
})
const stop = (text: string, fields: object = {}) => hook('Stop', { last_assistant_message: text, ...fields })

describe('a claim', () => {
  const text = 'It took 3 s [REAL: bash].\nIt took 3 s [REAL: bash].'

  it('is stored per place in a message, and again in a later turn', () => {
    const turns = ['p1', 'p2'].flatMap((prompt_id) => [
      hook('UserPromptSubmit', { prompt: 'go', prompt_id }),
      stop(text, { prompt_id }),
      stop(text, { prompt_id }),
    ])
    expect(claimsOf(stored(turns, 90_000)).map(([, place]) => place)).toEqual([0, 1, 0, 1])
  })

  it('is recorded for turns with background agents and for sub-agents, but not for invisible agents', () => {
    const working = { background_tasks: [{ id: 'a1', status: 'running' }] }
    const child = { agent_id: 'a1', agent_type: 'X', last_assistant_message: 'took 5 s [REAL: x]' }
    const events = stored([
      stop('took 4 s [REAL: x]', working),
      hook('SubagentStop', child),
      hook('SubagentStop', { ...child, agent_id: 'a2', agent_type: '' }),
    ])
    expect(claimsOf(events).map(([agent, , value]) => [agent, value])).toEqual([
      ['main', 'took 4 s'],
      ['a1', 'took 5 s'],
    ])
  })

  it('contains no secret, even if its value or pointer has only the end of one', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const long = `${'x'.repeat(50)} token=${secret} took 3 s`
    const events = stored([stop(`${long} [REAL: curl -H "Authorization: Bearer ${secret}"]`)])
    expect(claimsOf(events)).toHaveLength(1)
    expect(JSON.stringify(events)).not.toContain('a1B2a1B2')
  })

  it('is bounded whatever a message contains', () => {
    const events = stored([stop(`n 1 [REAL: ${'p'.repeat(5_000)}]\n`.repeat(2_000))])
    const claims = claimsOf(events)
    expect(claims).toHaveLength(500)
    expect(String(claims[0]?.[4]).length).toBeLessThanOrEqual(1_024)
  })
})

describe('a transcript', () => {
  const row = (uuid: string, type: string, message: object, more: object = {}) =>
    JSON.stringify({
      type,
      uuid,
      sessionId: 's1',
      timestamp: '2026-11-16T07:00:00.000Z',
      promptId: 'p1',
      message,
      ...more,
    })
  const reply = (id: string, content: object, stop_reason: string | null = null) =>
    row(id, 'assistant', { id: `m-${id.split('-')[0]}`, role: 'assistant', content: [content], stop_reason })
  const words = (text: string) => ({ type: 'text', text })
  const skill = (id: string) => ({ type: 'tool_use', id, name: 'Skill', input: { skill: 'tidy' } })
  const result = (id: string, content: string, is_error = false) =>
    row(`r-${id}`, 'user', {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content, is_error }],
    })
  const read = (lines: readonly string[], capture = newCapture()) => {
    const of = { session: 's1', agent: undefined, agentType: undefined, path: '/x/s1.jsonl', whole: true }
    const reader = createTranscriptReader(of, newState(), createAgentFiles('claude-code'), 0)
    const events = new Map<string, NewEvent>()
    for (const event of lines.flatMap((line) => capture.written(reader.read(line))))
      if (!events.has(event.key)) events.set(event.key, event)
    return [...events.values()]
  }

  it('reports the claims of every message and shares those of the last with its hook', () => {
    const capture = newCapture()
    const rows = [
      row('u1', 'user', { role: 'user', content: 'go' }),
      reply('a-1', words('took 1 s [REAL: x]')),
      reply('a-2', skill('t1'), 'tool_use'),
      result('t1', 'fine'),
      reply('b-1', words('took 1 s [REAL: x], in all 2 s [REAL: y]'), 'end_turn'),
    ]
    const events = read(rows, capture)
    expect(claimsOf(events).map(([, place, value]) => [place, value])).toEqual([
      [0, 'took 1 s'],
      [0, 'took 1 s'],
      [1, ', in all 2 s'],
    ])
    const ended = stop('took 1 s [REAL: x], in all 2 s [REAL: y]', { prompt_id: 'p1' })
    const keys = new Set(events.map(({ key }) => key))
    const again = stored([ended], 1, capture).filter(({ key }) => !keys.has(key))
    expect(claimsOf(again)).toEqual([])
  })

  it('shares the claims of a multi-block reply, whether its hook reports the last block or all', () => {
    const first = 'took 1 s [REAL: x]'
    const last = 'in all 2 s [REAL: y]'
    const rows = [
      row('u1', 'user', { role: 'user', content: 'go' }),
      reply('a-1', words(first)),
      reply('a-2', words(last), 'end_turn'),
    ]
    for (const text of [last, `${first}\n${last}`, `${first}\n\n${last}\n`])
      for (const isFirst of [true, false]) {
        const capture = newCapture()
        const hooked = () =>
          capture.hook(
            createClaudeCodeHooks(),
            JSON.stringify(stop(text, { prompt_id: 'p1' })),
            Date.parse('2026-11-16T07:00:00.400Z'),
          )
        const before = isFirst ? hooked() : []
        const all = [...before, ...read(rows, capture), ...(isFirst ? [] : hooked())]
        const once = new Map(all.map((event) => [event.key, event]))
        expect(claimsOf([...once.values()]), `${text} ${isFirst}`).toHaveLength(2)
      }
  })

  it('marks a skill whose call failed and reports nothing for a denied one', () => {
    const use = (text: string, is_error: boolean) =>
      skillsOf(read([reply('a-1', skill('t1'), 'tool_use'), result('t1', text, is_error)]))
    expect(use('fine', false)).toEqual([['main', 'tidy', true]])
    expect(use('no such file', true)).toEqual([['main', 'tidy', false]])
    expect(use("The user doesn't want to proceed with this tool use.", true)).toEqual([])
  })
})

describe('a skill use', () => {
  const call = { tool_name: 'Skill', tool_use_id: 't1', tool_input: { skill: 'tidy' } }

  it.each([
    ['PostToolUse', { tool_response: { success: true } }, true],
    ['PostToolUse', { tool_response: { success: false } }, false],
    ['PostToolUseFailure', { error: 'boom' }, false],
    ['PostToolUseFailure', { error: 'boom', is_interrupt: true }, undefined],
  ])('reported by %s with %o has success %s', (name, fields, expected) => {
    expect(skillsOf(stored([hook(name, { ...call, ...fields })]))).toEqual([['main', 'tidy', expected]])
  })
})

describe('a session with a bypass', () => {
  const payloads = [
    hook('SessionStart', { source: 'startup' }),
    hook('PostToolUse', { tool_name: 'Skill', tool_use_id: 't1', tool_input: { skill: 'tidy' } }),
    stop('took 3 s [REAL: x]', { prompt_id: 'p1' }),
  ]
  const tell = (capture: Capture, bypass: { claims: boolean; skills: boolean }) => {
    const reader = createClaudeCodeHooks()
    // Only session start is sure to use a command hook, which has an environment.
    return payloads.flatMap((payload, at) =>
      capture.hook(reader, JSON.stringify(payload), 1_000 + at, false, at === 0 ? bypass : undefined),
    )
  }

  it.each([
    [{ claims: true, skills: false }, ['skill_use']],
    [{ claims: false, skills: true }, ['claim']],
    [{ claims: true, skills: true }, []],
  ])('is recorded without the excluded events, and the log says so: %o', (bypass, expected) => {
    const events = tell(newCapture(), bypass)
    const kinds = events.map(({ event }) => event)
    expect(kinds.filter((kind) => kind === 'claim' || kind === 'skill_use')).toEqual(expected)
    const bypassEvents = events.filter(({ event }) => event === 'bypass')
    expect(bypassEvents.map(({ claims, skills }) => [claims === true, skills === true])).toEqual([
      ...(bypass.claims ? [[true, false]] : []),
      ...(bypass.skills ? [[false, true]] : []),
    ])
  })

  it('is remembered after a restart', () => {
    const events = tell(newCapture(), { claims: true, skills: true })
    const capture = createCapture({
      host: 'here',
      findAgents: async () => success(new Map()),
      known: events.map((event, at) => ({ ...event, seq: at + 1 })).toReversed(),
    })
    const kinds = tell(capture, { claims: false, skills: false }).map(({ event }) => event)
    expect(kinds).not.toContain('claim')
    expect(kinds).not.toContain('skill_use')
  })

  it('covers every session when the daemon itself has the bypass', () => {
    const bypass = { claims: true, skills: true }
    const capture = createCapture({ host: 'here', findAgents: async () => success(new Map()), bypass })
    const kinds = tell(capture, { claims: false, skills: false }).map(({ event }) => event)
    expect(kinds).toEqual(['session_start', 'tool_done', 'agent_done'])
  })
})

import { type StoredEvent, success } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createCapture } from './capture.ts'
import { createClaudeCodeHooks } from './claude-code/index.ts'

const START = Date.UTC(2026, 8, 1)

/** Simulates a process that receives hooks at given times. */
function listen(knownKeys: readonly string[] = []) {
  const known = knownKeys.map((key) => ({ key, event: 'notice' }) as StoredEvent)
  const capture = createCapture({ host: 'here', findAgents: async () => success(new Map()), known })
  const reader = createClaudeCodeHooks()
  return (ms: number, hook_event_name: string, fields: object = {}): readonly string[] => {
    const payload = { session_id: 's1', cwd: '/work', hook_event_name, ...fields }
    return capture.hook(reader, JSON.stringify(payload), START + ms).map(({ key }) => key)
  }
}

const call = (id: string) => ({ tool_name: 'Bash', tool_use_id: id, tool_input: { command: 'ls' } })
const permission = { tool_name: 'Bash', tool_input: { command: 'ls' } }

describe('a repeated payload', () => {
  it('is a duplicate within five seconds by any delivery, and new afterwards', () => {
    const hear = listen()
    const first = hear(0, 'Stop', { prompt_id: 'p1' })
    expect(hear(5_000, 'Stop', { prompt_id: 'p1' })).toEqual(first)
    expect(hear(5_001, 'Stop', { prompt_id: 'p1' })).not.toEqual(first)
  })

  it('is a duplicate however late it is read from the spool', () => {
    const hear = listen()
    const first = hear(0, 'Stop')
    hear(1_000, 'UserPromptSubmit', { prompt: 'next' })
    expect(hear(10, 'Stop')).toEqual(first)
  })

  it('is recognised after a restart by stored events', () => {
    const first = listen()(0, 'Stop')
    expect(listen(first)(2_000, 'Stop')).toEqual(first)
    expect(listen(first)(6_000, 'Stop')).not.toEqual(first)
  })

  it('from the same file gets the same key after a restart without any memory', () => {
    expect(listen()(7, 'SubagentStart', { agent_id: 'a' })).toEqual(
      listen()(7, 'SubagentStart', { agent_id: 'a' }),
    )
  })
})

describe('an identical payload after other activity of the agent', () => {
  it('ends a second turn', () => {
    const hear = listen()
    hear(0, 'UserPromptSubmit', { prompt: 'one' })
    const first = hear(100, 'Stop')
    hear(200, 'UserPromptSubmit', { prompt: 'two' })
    const second = hear(300, 'Stop')
    expect(second).not.toEqual(first)
    expect(hear(301, 'Stop')).toEqual(second)
  })

  it('ends a resumed agent again', () => {
    const hear = listen()
    const of = { agent_id: 'a1', agent_type: 'X' }
    hear(0, 'SubagentStart', of)
    const first = hear(100, 'SubagentStop', of)
    hear(200, 'PreToolUse', { ...of, ...call('t1') })
    expect(hear(300, 'SubagentStop', of)).not.toEqual(first)
  })

  it('asks for a permission again', () => {
    const hear = listen()
    hear(0, 'PreToolUse', call('t1'))
    const first = hear(10, 'PermissionRequest', permission)
    expect(hear(11, 'PermissionRequest', permission)).toEqual(first)
    hear(20, 'PostToolUse', call('t1'))
    hear(30, 'PreToolUse', call('t2'))
    expect(hear(40, 'PermissionRequest', permission)).not.toEqual(first)
  })

  it('answers a second question with the same words', () => {
    const hear = listen()
    hear(0, 'PreToolUse', call('t1'))
    const first = hear(10, 'ElicitationResult', { action: 'accept' })
    expect(hear(11, 'ElicitationResult', { action: 'accept' })).toEqual(first)
    hear(20, 'PreToolUse', call('t2'))
    expect(hear(30, 'ElicitationResult', { action: 'accept' })).not.toEqual(first)
  })

  it('is a duplicate when the whole sequence repeats', () => {
    const hear = listen()
    const deliveredAt = (ms: number) => [
      hear(ms, 'UserPromptSubmit', { prompt: 'one' }),
      hear(ms + 1, 'PreToolUse', call('t1')),
      hear(ms + 2, 'PermissionRequest', permission),
      hear(ms + 3, 'PostToolUse', call('t1')),
      hear(ms + 4, 'Stop'),
    ]
    expect(deliveredAt(1_000)).toEqual(deliveredAt(2_000))
  })

  it('is distinguished by other fields of the payload', () => {
    const hear = listen()
    const edit = (old: string) => ({ tool_name: 'Edit', tool_input: { file_path: '/a', old_string: old } })
    expect(hear(0, 'PermissionRequest', edit('x'))).not.toEqual(hear(1, 'PermissionRequest', edit('y')))
  })
})

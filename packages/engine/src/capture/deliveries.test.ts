import { type StoredEvent, success } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createCapture } from './capture.ts'
import { createClaudeCodeHooks } from './claude-code/index.ts'

const START = Date.UTC(2026, 8, 1)

/** A process that hears hooks at moments of a test's own. */
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
const asked = { tool_name: 'Bash', tool_input: { command: 'ls' } }

describe('a payload that comes again', () => {
  it('within five seconds is the same, whoever brought it, and another one later', () => {
    const hear = listen()
    const first = hear(0, 'Stop', { prompt_id: 'p1' })
    expect(hear(5_000, 'Stop', { prompt_id: 'p1' })).toEqual(first)
    expect(hear(5_001, 'Stop', { prompt_id: 'p1' })).not.toEqual(first)
  })

  it('is the same however late it is taken from the spool', () => {
    const hear = listen()
    const first = hear(0, 'Stop')
    hear(1_000, 'UserPromptSubmit', { prompt: 'next' })
    expect(hear(10, 'Stop')).toEqual(first)
  })

  it('after a restart is known by what the ledger has', () => {
    const first = listen()(0, 'Stop')
    expect(listen(first)(2_000, 'Stop')).toEqual(first)
    expect(listen(first)(6_000, 'Stop')).not.toEqual(first)
  })

  it('from the same file after a restart has the same key without any memory', () => {
    expect(listen()(7, 'SubagentStart', { agent_id: 'a' })).toEqual(
      listen()(7, 'SubagentStart', { agent_id: 'a' }),
    )
  })
})

describe('the same words of an agent that went on in between', () => {
  it('end its second turn too', () => {
    const hear = listen()
    hear(0, 'UserPromptSubmit', { prompt: 'one' })
    const first = hear(100, 'Stop')
    hear(200, 'UserPromptSubmit', { prompt: 'two' })
    const second = hear(300, 'Stop')
    expect(second).not.toEqual(first)
    expect(hear(301, 'Stop')).toEqual(second)
  })

  it('end it again when it was resumed', () => {
    const hear = listen()
    const of = { agent_id: 'a1', agent_type: 'X' }
    hear(0, 'SubagentStart', of)
    const first = hear(100, 'SubagentStop', of)
    hear(200, 'PreToolUse', { ...of, ...call('t1') })
    expect(hear(300, 'SubagentStop', of)).not.toEqual(first)
  })

  it('ask for a permission again', () => {
    const hear = listen()
    hear(0, 'PreToolUse', call('t1'))
    const first = hear(10, 'PermissionRequest', asked)
    expect(hear(11, 'PermissionRequest', asked)).toEqual(first)
    hear(20, 'PostToolUse', call('t1'))
    hear(30, 'PreToolUse', call('t2'))
    expect(hear(40, 'PermissionRequest', asked)).not.toEqual(first)
  })

  it('answer a second question in the same words', () => {
    const hear = listen()
    hear(0, 'PreToolUse', call('t1'))
    const first = hear(10, 'ElicitationResult', { action: 'accept' })
    expect(hear(11, 'ElicitationResult', { action: 'accept' })).toEqual(first)
    hear(20, 'PreToolUse', call('t2'))
    expect(hear(30, 'ElicitationResult', { action: 'accept' })).not.toEqual(first)
  })

  it('are the same when everything is told twice', () => {
    const hear = listen()
    const told = (ms: number) => [
      hear(ms, 'UserPromptSubmit', { prompt: 'one' }),
      hear(ms + 1, 'PreToolUse', call('t1')),
      hear(ms + 2, 'PermissionRequest', asked),
      hear(ms + 3, 'PostToolUse', call('t1')),
      hear(ms + 4, 'Stop'),
    ]
    expect(told(1_000)).toEqual(told(2_000))
  })

  it('are told apart by what else the payload says', () => {
    const hear = listen()
    const edit = (old: string) => ({ tool_name: 'Edit', tool_input: { file_path: '/a', old_string: old } })
    expect(hear(0, 'PermissionRequest', edit('x'))).not.toEqual(hear(1, 'PermissionRequest', edit('y')))
  })
})

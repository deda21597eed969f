import { describe, expect, it } from 'vitest'
import { type Payload, play } from './recordings.test-kit.ts'

/** Returns the agent states after these payloads, sent one second apart. */
const statesAfter = (payloads: readonly Payload[]): Record<string, string> =>
  Object.fromEntries(Object.entries(play(payloads, 1_000)).map(([id, { state }]) => [id, state]))

const hook = (hook_event_name: string, fields: object = {}): Payload => ({
  session_id: 's1',
  hook_event_name,
  ...fields,
})
const call = (id: string, tool: string, input: object = { command: id }) => ({
  tool_name: tool,
  tool_use_id: id,
  tool_input: input,
})
const prompt = hook('UserPromptSubmit', { prompt: 'go', prompt_id: 'p1' })
const child = { agent_id: 'a1', agent_type: 'X' }
const agentCall = call('T', 'Agent', { subagent_type: 'X', prompt: 'p' })

describe('the state of a Claude Code agent', () => {
  it('waits while its own permission request is open, whatever other calls end', () => {
    const permissionRequest = [
      prompt,
      hook('PreToolUse', call('A', 'WebFetch', { url: 'https://a' })),
      hook('PreToolUse', call('B', 'Read', { file_path: '/b' })),
      hook('PermissionRequest', { tool_name: 'WebFetch', tool_input: { url: 'https://a' } }),
      hook('PostToolUse', call('B', 'Read', { file_path: '/b' })),
    ]
    expect(statesAfter(permissionRequest)).toEqual({ main: 'waiting' })
    const allowed = hook('PostToolUse', call('A', 'WebFetch', { url: 'https://a' }))
    expect(statesAfter([...permissionRequest, allowed])).toEqual({ main: 'working' })
  })

  it('belongs to the sub-agent that asks, also when the client sends a reminder', () => {
    const permissionRequest = [
      prompt,
      hook('PreToolUse', agentCall),
      hook('SubagentStart', child),
      hook('PreToolUse', { ...child, ...call('q', 'Bash') }),
      hook('PermissionRequest', { ...child, tool_name: 'Bash', tool_input: { command: 'q' } }),
      hook('Notification', {
        notification_type: 'permission_prompt',
        message: 'Claude needs your permission to use Bash',
      }),
    ]
    expect(statesAfter(permissionRequest)).toEqual({ main: 'working', a1: 'waiting' })
    expect(
      statesAfter(permissionRequest.filter((each) => each.hook_event_name !== 'PermissionRequest')),
    ).toEqual({
      main: 'working',
      a1: 'waiting',
    })
    const allowed = hook('PostToolUse', { ...child, ...call('q', 'Bash') })
    expect(statesAfter([...permissionRequest, allowed])).toEqual({ main: 'working', a1: 'working' })
  })

  it('is done when a person interrupts its call, which is not counted as an error', () => {
    const off = (id: string) =>
      hook('PostToolUseFailure', { ...call(id, 'Bash'), error: 'x', is_interrupt: true, prompt_id: 'p1' })
    const begun = [prompt, hook('PreToolUse', call('A', 'Bash')), hook('PreToolUse', call('B', 'Bash'))]
    expect(play([...begun, off('A'), off('B')], 1_000).main).toMatchObject({
      state: 'done',
      errors: 0,
      tools: { Bash: 2 },
    })
    const again = hook('UserPromptSubmit', { prompt: 'go on', prompt_id: 'p2' })
    expect(statesAfter([...begun, off('A'), off('B'), again])).toEqual({ main: 'working' })
    const failed = hook('PostToolUseFailure', { ...call('A', 'Bash'), error: 'x', is_interrupt: false })
    expect(play([...begun, failed], 1_000).main).toMatchObject({ state: 'working', errors: 1 })
  })

  it("does not end the session when a sub-agent's call is interrupted", () => {
    const off = { ...child, ...call('q', 'Bash'), error: 'x', is_interrupt: true }
    const payloads = [
      prompt,
      hook('PreToolUse', agentCall),
      hook('SubagentStart', child),
      hook('PreToolUse', { ...child, ...call('q', 'Bash') }),
      hook('PostToolUseFailure', off),
    ]
    expect(statesAfter(payloads)).toEqual({ main: 'working', a1: 'working' })
    expect(play(payloads, 1_000).a1?.errors).toBe(0)
  })

  it('is done before the first prompt, between turns, and after a resume', () => {
    const opened = [hook('SessionStart', { source: 'startup' })]
    expect(statesAfter(opened)).toEqual({ main: 'done' })
    const turn = [...opened, prompt, hook('Stop', { prompt_id: 'p1' })]
    const compacted = [
      ...turn,
      hook('PreCompact', { trigger: 'manual' }),
      hook('SessionStart', { source: 'compact' }),
    ]
    expect(statesAfter(compacted)).toEqual({ main: 'done' })
    const resumed = [
      ...turn,
      hook('SessionEnd', { reason: 'other' }),
      hook('SessionStart', { source: 'resume' }),
    ]
    expect(statesAfter(resumed)).toEqual({ main: 'done' })
    expect(statesAfter([...resumed, hook('UserPromptSubmit', { prompt: 'on', prompt_id: 'p2' })])).toEqual({
      main: 'working',
    })
  })

  it('is waiting at an idle prompt and keeps the result of the turn', () => {
    const idle = hook('Notification', {
      notification_type: 'idle_prompt',
      message: 'Claude is waiting for your input',
    })
    const shown = play([prompt, hook('Stop', { last_assistant_message: 'shipped: functional' }), idle], 1_000)
    expect(shown.main).toMatchObject({ state: 'waiting', outcome: 'functional' })
  })

  it('is failed when its Agent call failed, in either order of events', () => {
    const failed = hook('PostToolUseFailure', { ...agentCall, error: 'boom' })
    const born = [hook('SubagentStart', child), hook('PreToolUse', { ...child, ...call('q', 'Bash') })]
    const before = [prompt, hook('PreToolUse', agentCall)]
    for (const rest of [
      [failed, ...born],
      [...born, failed],
    ])
      expect(statesAfter([...before, ...rest])).toEqual({ main: 'working', a1: 'failed' })
  })

  it('is failed after StopFailure and working again from the next prompt', () => {
    const broken = [prompt, hook('StopFailure', { error: 'rate_limit', prompt_id: 'p1' })]
    expect(statesAfter(broken)).toEqual({ main: 'failed' })
    expect(statesAfter([...broken, hook('UserPromptSubmit', { prompt: 'again', prompt_id: 'p2' })])).toEqual({
      main: 'working',
    })
  })

  it('is working in a resumed session whose beginning was never reported', () => {
    const payloads = [
      prompt,
      hook('PreToolUse', { ...child, ...call('q', 'Bash') }),
      hook('SessionEnd', { reason: 'other' }),
      hook('SessionStart', { source: 'resume' }),
      hook('UserPromptSubmit', { prompt: 'on', prompt_id: 'p2' }),
      hook('SubagentStart', child),
      hook('PreToolUse', { ...child, ...call('q9', 'Bash') }),
    ]
    expect(statesAfter(payloads)).toEqual({ main: 'working', a1: 'working' })
  })
})

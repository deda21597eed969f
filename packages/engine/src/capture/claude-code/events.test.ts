import { prependContext } from '@panoptes/engine/markers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../../result.test-kit.ts'
import { type Bench, openBench } from '../capture.test-kit.ts'
import type { HookReader } from '../hook.ts'
import type { Intake } from '../intake.ts'
import { createClaudeCodeHooks } from './index.ts'

let bench: Bench
let intake: Intake
let reader: HookReader
let clock = 0
beforeEach(async () => {
  bench = await openBench()
  intake = bench.intake()
  reader = createClaudeCodeHooks()
  clock = Date.UTC(2026, 8, 1)
})
afterEach(() => bench.end())

async function hook(hook_event_name: string, fields: object = {}): Promise<void> {
  clock += 60_000
  const payload = {
    session_id: 's1',
    transcript_path: '/t/s1.jsonl',
    cwd: '/home/dev/project',
    hook_event_name,
    ...fields,
  }
  unwrap(await intake.append(intake.capture.hook(reader, JSON.stringify(payload), clock)))
}

const main = async () => unwrap(await bench.store.agents({ session: 's1', limit: 10 })).value[0]
const last = async () => (await bench.events()).at(-1)
const call = { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'rm x' } }

describe('hooks of Claude Code', () => {
  it("show the person's message of a prompt that Panoptes gave to its runtime", async () => {
    await hook('UserPromptSubmit', {
      prompt: prependContext('What is remembered: a heron', '先看日志\n再修复'),
    })
    expect(await main()).toMatchObject({ prompt_preview: '先看日志 再修复' })
    await hook('UserPromptSubmit', { prompt: 'Name a bird.' })
    expect(await main()).toMatchObject({ prompt_preview: 'Name a bird.' })
  })

  it('report the location of transcripts', async () => {
    await hook('SessionStart', { source: 'startup' })
    expect(await last()).toMatchObject({
      event: 'session_start',
      transcript_path: '/t/s1.jsonl',
      project: 'project',
    })
    await hook('SubagentStop', { agent_id: 'a1', agent_transcript_path: '/t/s1/subagents/agent-a1.jsonl' })
    expect(await last()).toMatchObject({ id: 'a1', transcript_path: '/t/s1/subagents/agent-a1.jsonl' })
  })

  it('make an agent wait for a permission until the call continues', async () => {
    await hook('PreToolUse', call)
    await hook('PermissionRequest', call)
    expect(await main()).toMatchObject({ state: 'waiting', wait_reason: 'allow Bash?' })
    await hook('PostToolUse', { ...call, tool_response: {}, duration_ms: 5 })
    expect(await main()).toMatchObject({ state: 'working', wait_reason: null, doing: null, errors: 0 })
  })

  it('end a denied call once, as neither a success nor a failure', async () => {
    await hook('PreToolUse', call)
    await hook('PermissionDenied', { ...call, reason: 'not in this project' })
    await hook('PostToolUseFailure', { ...call, error: 'denied' })
    expect(await main()).toMatchObject({ state: 'working', doing: null, errors: 0, tool_counts: { Bash: 1 } })
  })

  it("make an agent wait for an MCP server's question until it is answered", async () => {
    await hook('UserPromptSubmit', { prompt: 'go' })
    await hook('Elicitation', { message: 'Which account?' })
    expect(await main()).toMatchObject({ state: 'waiting', wait_reason: 'Which account?' })
    await hook('ElicitationResult')
    expect((await main())?.state).toBe('working')
  })

  it('lose only the malformed fields of a hostile payload', async () => {
    const long = 'x'.repeat(10_000)
    await hook('PreToolUse', { tool_name: long, tool_use_id: 'a\0b', tool_input: [1] })
    expect(await last()).toEqual(expect.not.objectContaining({ tool: long }))
    expect(await last()).toMatchObject({ event: 'tool_use', agent_id: 'main' })
    expect(reader.read({ session_id: long, hook_event_name: 'Stop' }, 0)).toHaveProperty('problem')
    expect(reader.read(null, 0)).toHaveProperty('problem')
  })

  it("with an invalid agent id are not assigned to the session's own agent", async () => {
    expect(reader.read({ session_id: 's', hook_event_name: 'Stop', agent_id: 7 }, 0)).toHaveProperty(
      'problem',
    )
  })
})

const agents = async () =>
  unwrap(await bench.store.agents({ session: 's1', limit: 10 })).value.map(({ id, state }) => [id, state])

const notification = (status: string | null, summary: string) => ({
  prompt: [
    '<task-notification>',
    '<task-id>b1</task-id>',
    '<tool-use-id>T</tool-use-id>',
    ...(status === null ? [] : [`<status>${status}</status>`]),
    `<summary>${summary}</summary>`,
    '</task-notification>',
  ].join('\n'),
})

describe('task notifications', () => {
  it('create no agent for a command', async () => {
    await hook(
      'UserPromptSubmit',
      notification('failed', 'Background command "npm test" failed with exit code 3'),
    )
    expect(await agents()).toEqual([['main', 'working']])
    expect(await last()).toMatchObject({ event: 'prompt', origin: 'client' })
  })

  it.each([
    ['finished', 'completed', 'done'],
    ['failed: Unknown error', 'failed', 'failed'],
    ['was stopped by the user', 'killed', 'done'],
    ['was resumed by another agent and now reports to it', null, 'working'],
  ])('end an agent by its status: %s', async (words, status, state) => {
    await hook('SubagentStart', { agent_id: 'b1', agent_type: 'X' })
    await hook('UserPromptSubmit', notification(status, `Agent "probe" ${words}`))
    expect(await agents()).toContainEqual(['b1', state])
  })
})

describe('helpers that the client creates for itself', () => {
  it('stay invisible when only their end is reported', async () => {
    await hook('UserPromptSubmit', { prompt: 'go' })
    await hook('SubagentStop', { agent_id: 'internal', agent_type: '' })
    await hook('SubagentStop', {})
    expect(await agents()).toEqual([['main', 'working']])
  })

  it('end when they were seen at work', async () => {
    await hook('PreToolUse', { agent_id: 'internal', ...call })
    await hook('SubagentStop', { agent_id: 'internal', agent_type: '' })
    expect(await agents()).toEqual([['internal', 'done']])
  })

  it('stay invisible when one of their requests fails', async () => {
    await hook('UserPromptSubmit', { prompt: 'go' })
    await hook('StopFailure', { agent_id: 'summariser', error: 'server_error' })
    expect(await agents()).toEqual([['main', 'working']])
    await hook('PreToolUse', { agent_id: 'a1', agent_type: 'X', ...call })
    await hook('StopFailure', { agent_id: 'a1', error: 'server_error' })
    expect(await agents()).toContainEqual(['a1', 'failed'])
    // An agent may fail before its first call, and not every payload names the type.
    await hook('SubagentStart', { agent_id: 'a2', agent_type: 'X' })
    await hook('StopFailure', { agent_id: 'a2', error: 'server_error' })
    expect(await agents()).toContainEqual(['a2', 'failed'])
  })
})

it('shows no text that the client writes itself as the words of a person', async () => {
  await hook('UserPromptSubmit', { prompt: 'go' })
  await hook('Stop')
  await hook('UserPromptSubmit', { prompt: '<system-reminder>The date has changed.</system-reminder>' })
  expect(await main()).toMatchObject({ state: 'working', prompt_preview: 'go' })
})

describe('an agent that is ended from outside', () => {
  const begun = () => hook('SubagentStart', { agent_id: 'b1', agent_type: 'X' })
  const outcome = async () =>
    unwrap(await bench.store.agents({ session: 's1', limit: 10 })).value.find(({ id }) => id === 'b1')
      ?.outcome

  it('is stopped when a person ended it', async () => {
    await begun()
    await hook('UserPromptSubmit', notification('killed', 'Agent "probe" was stopped by user'))
    expect(await outcome()).toBe('stopped')
  })

  it('is stopped when another agent ended it, and stopped commands create no agent', async () => {
    await begun()
    const stop = (id: string, task_type: string) => ({
      tool_name: 'TaskStop',
      tool_use_id: `stop-${id}`,
      tool_input: { task_id: id },
      tool_response: { task_id: id, task_type },
    })
    await hook('PostToolUse', stop('shell', 'local_bash'))
    await hook('PostToolUse', stop('b1', 'local_agent'))
    expect(await outcome()).toBe('stopped')
    expect((await agents()).map(([id]) => id).sort()).toEqual(['b1', 'main'])
  })
})

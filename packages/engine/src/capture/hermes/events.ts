import { basename } from 'node:path'
import { readStatus } from '@panoptes/engine/stated'
import { beginningOf, inputPreview, preview } from '../preview.ts'
import { claimsIn, statusIn } from '../stated-events.ts'
import { editedFile } from './edited-file.ts'
import type { Extra, HermesPayload } from './payload.ts'

/** An event as a hook tells it; `name` is what happened once, where Hermes names it. */
export interface Told {
  readonly event: string
  readonly name?: string | undefined
  readonly [field: string]: unknown
}

/** One hook call with everything that is needed to read it. */
export interface Call {
  readonly payload: HermesPayload
  readonly extra: Extra
  /** Who did it. */
  readonly agent: string
}

type Tell = (call: Call) => readonly Told[]

const byHook: Readonly<Record<string, Tell>> = {
  on_session_start: ({ payload, extra, agent }) => {
    const model = extra.name('model')
    if (agent !== 'main') return [{ event: 'agent_link', id: agent, model }]
    return [
      {
        event: 'session_start',
        cwd: payload.cwd,
        project: payload.cwd ? basename(payload.cwd) || undefined : undefined,
        model,
        reason: extra.name('platform'),
        profile: payload.profile,
      },
    ]
  },
  // It comes at the end of every turn, not of the session.
  on_session_end: ({ extra, agent }) => [
    {
      event: 'agent_done',
      id: agent,
      name: extra.name('turn_id'),
      error: extra.flag('failed') ? preview(extra.text('turn_exit_reason') ?? 'the turn failed') : undefined,
      reason: extra.flag('interrupted') ? 'interrupted' : undefined,
    },
  ],
  on_session_finalize: (call) => sessionOver(call, call.extra.name('reason') ?? 'finalize'),
  on_session_reset: (call) => sessionOver(call, 'reset'),
  pre_llm_call: ({ extra, agent }) => {
    const prompt = preview(extra.text('user_message') ?? '')
    const model = extra.name('model')
    if (agent !== 'main')
      return [{ event: 'agent_link', id: agent, model, prompt_preview: prompt || undefined }]
    return [{ event: 'prompt', agent_id: agent, name: extra.name('turn_id'), prompt_preview: prompt, model }]
  },
  pre_tool_call: (call) => [
    {
      event: 'tool_use',
      ...toolCall(call),
      input_preview: inputPreview(call.payload.tool_input),
      file: editedFile(call.payload.tool_name, call.payload.tool_input),
    },
    ...(call.payload.tool_name === 'clarify'
      ? [
          {
            event: 'agent_wait',
            agent_id: call.agent,
            reason: 'asks a question',
            call: toolCall(call).id,
            name: toolCall(call).name,
          },
        ]
      : []),
  ],
  post_tool_call: (call) => {
    const error = call.extra.text('error_message') ?? call.extra.text('error_type')
    return [
      {
        event: 'tool_done',
        ...toolCall(call),
        ok: error === undefined && !FAILED.test(call.extra.text('status') ?? ''),
        duration_ms: call.extra.number('duration_ms'),
        error_preview: error === undefined ? undefined : preview(error),
      },
    ]
  },
  subagent_start: (call) => {
    const child = childOf(call)
    if (child === undefined) return kept(call)
    return [
      {
        event: 'agent_spawn',
        id: child,
        name: child,
        parent_id: parentOf(call),
        subagent_type: call.extra.name('child_role'),
        model: call.extra.name('child_model', 'model'),
        prompt_preview: goalOf(call),
        child_session: call.extra.name('child_session_id'),
      },
    ]
  },
  subagent_stop: (call) => {
    const child = childOf(call)
    if (child === undefined) return kept(call)
    const status = call.extra.text('child_status') ?? ''
    const marker = readStatus(call.extra.text('child_summary') ?? '')
    return [
      {
        event: 'agent_done',
        id: child,
        name: child,
        outcome: marker?.shipped,
        stubs: marker?.stubs,
        duration_ms: call.extra.number('duration_ms'),
        tool_use_count: call.extra.count('tool_call_history'),
        error: FAILED.test(status) ? preview(call.extra.text('error') ?? status) : undefined,
      },
      ...statedBy(child, call.extra.text('child_summary') ?? ''),
    ]
  },
  pre_approval_request: ({ payload, extra, agent }) => [
    {
      event: 'agent_wait',
      agent_id: agent,
      reason: `allow ${payload.tool_name ?? 'this'}?`,
      tool: payload.tool_name,
      input_preview: inputPreview(payload.tool_input) ?? preview(extra.text('command') ?? ''),
      wait: 'approval',
    },
  ],
  post_approval_response: ({ payload, extra, agent }) => [
    {
      event: 'answer',
      agent_id: agent,
      tool: payload.tool_name,
      choice: extra.name('choice', 'decision', 'response'),
    },
  ],
  on_skill_lifecycle: (call) => {
    const skill = call.extra.name('skill_name', 'skill')
    const action = call.extra.text('action') ?? call.extra.text('event') ?? 'use'
    if (skill === undefined || !USES.test(action)) return kept(call)
    const failed = FAILED.test(call.extra.text('status') ?? '') || call.extra.text('error') !== undefined
    const success = failed ? false : call.extra.flag('success')
    return [{ event: 'skill_use', agent_id: call.agent, skill, success }]
  },
  post_api_request: ({ extra, agent }) => {
    const usage = extra.fields('usage')
    return [
      {
        event: 'usage',
        agent_id: agent,
        name: extra.name('api_request_id'),
        model: extra.name('model'),
        input: usage.number('input_tokens', 'prompt_tokens'),
        output: usage.number('output_tokens', 'completion_tokens'),
        cache_read: usage.number('cache_read_tokens', 'cache_read_input_tokens'),
        cache_write: usage.number('cache_write_tokens', 'cache_creation_input_tokens'),
        reasoning: usage.number('reasoning_tokens'),
        cost_usd: extra.number('cost_usd') ?? usage.number('cost_usd'),
      },
    ]
  },
  // Pieces of an answer are for whoever watches it being written.
  on_stream_delta: () => [],
}

const FAILED = /fail|error|block|den(?:y|ied)|timeout|timed|cancel|interrupt|abort/i
const USES = /use|load|view|invoke|run/i

export function toldBy(call: Call): readonly Told[] {
  const { hook_event_name: hook } = call.payload
  const tell = Object.hasOwn(byHook, hook) ? byHook[hook] : undefined
  return tell ? tell(call) : kept(call)
}

/** A sub-agent has but one turn. */
function statedBy(agent: string, text: string): readonly Told[] {
  const said = { agent, turn: undefined, text }
  return [...[statusIn(said) ?? []].flat(), ...claimsIn(said)]
}

const toolCall = ({ payload, extra, agent }: Call) => {
  const id = extra.name('tool_call_id')
  return { id, name: id, agent_id: agent, tool: payload.tool_name ?? 'unknown' }
}

const sessionOver = ({ agent }: Call, reason: string): readonly Told[] =>
  agent === 'main' ? [{ event: 'session_end', reason }] : [{ event: 'agent_done', id: agent, reason }]

const childOf = ({ extra }: Call): string | undefined => extra.name('child_subagent_id', 'child_session_id')

/** A sub-agent of a sub-agent names its maker; one of the session's own agent does not. */
const parentOf = ({ extra, agent }: Call): string => extra.name('parent_subagent_id') ?? agent

function goalOf({ extra }: Call): string | undefined {
  const goal = extra.text('child_goal')
  return goal === undefined ? undefined : preview(goal)
}

/** What we have no word for is kept as it came. */
function kept({ payload, agent }: Call): readonly Told[] {
  const { session_id: _session, hook_event_name: hook, delivery_id: _delivery, ...others } = payload
  const text = JSON.stringify(others)
  const beginning = beginningOf(text)
  const shown = beginning === text ? others : { cut: beginning }
  return [{ event: 'hook', agent_id: agent, hook, payload: shown }]
}

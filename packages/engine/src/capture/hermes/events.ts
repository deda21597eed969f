import { basename } from 'node:path'
import { extractUserMessage, readStatus } from '@panoptes/engine/markers'
import { hermesToolSucceeded, isHermesNotice } from '@panoptes/engine/sources'
import { claimsIn, statusIn } from '../marker-events.ts'
import { inputPreview, preview, truncateText } from '../preview.ts'
import type { Extra, HermesPayload } from './payload.ts'

/** An event from a hook; `name` identifies it where Hermes gives it an id. */
export interface BareEvent {
  readonly event: string
  readonly name?: string | undefined
  readonly [field: string]: unknown
}

/** One hook call with all the context its reader needs. */
export interface Call {
  readonly payload: HermesPayload
  readonly extra: Extra
  /** The agent that acted. */
  readonly agent: string
  /**
   * Hermes' id of the sub-agent that a parent's event is about. Its own name may be reported only when it
   * starts.
   */
  readonly child: string | undefined
  /** This is true when the end of the acting sub-agent was reported before. */
  readonly hasEnded: boolean
  /** This is true while a sub-agent of the session works. */
  readonly hasBackgroundWork: boolean
}

type Tell = (call: Call) => readonly BareEvent[]

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
  // Hermes sends this at the end of every turn, not of the session.
  on_session_end: (call) => {
    const { extra, agent } = call
    if (agent !== 'main') return [turnOver(call)]
    const isForced = extra.flag('failed') || extra.flag('interrupted')
    if (call.hasBackgroundWork && !isForced) return [rest(extra.name('turn_id'))]
    return [
      {
        event: 'agent_done',
        id: agent,
        name: extra.name('turn_id'),
        error: extra.flag('failed')
          ? preview(extra.text('turn_exit_reason') ?? 'the turn failed')
          : undefined,
        ...(extra.flag('interrupted') ? { outcome: 'stopped', reason: 'interrupted' } : {}),
      },
    ]
  },
  on_session_finalize: (call) => sessionOver(call, call.extra.name('reason') ?? 'finalize'),
  on_session_reset: (call) => sessionOver(call, 'reset'),
  pre_llm_call: ({ extra, agent }) => {
    const message = extra.text('user_message') ?? ''
    const prompt = isHermesNotice(message) ? undefined : preview(extractUserMessage(message))
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
    const { extra } = call
    const ok = readSuccess(extra)
    const error = extra.text('error_message') ?? extra.text('error_type') ?? extra.json('result')
    return [
      {
        event: 'tool_done',
        ...toolCall(call),
        ok,
        // A person's decision time is not a sample of the tool's duration.
        duration_ms: ok === null ? undefined : extra.number('duration_ms'),
        error_preview: ok === false && error !== undefined ? preview(error) : undefined,
      },
    ]
  },
  subagent_start: (call) => {
    const { child } = call
    if (child === undefined) return toRawEvents(call)
    return [
      {
        event: 'agent_spawn',
        id: child,
        name: child,
        parent_id: parentAgent(call),
        subagent_type: call.extra.name('child_role'),
        model: call.extra.name('child_model', 'model'),
        prompt_preview: goalPreview(call),
        child_session: call.extra.name('child_session_id'),
      },
    ]
  },
  subagent_stop: (call) => {
    const { child } = call
    if (child === undefined) return toRawEvents(call)
    const status = call.extra.text('child_status') ?? ''
    const marker = readStatus(call.extra.text('child_summary') ?? '')
    const isStopped = NOT_WANTED.test(status)
    const error = FAILED.test(status) ? preview(call.extra.text('error') ?? status) : undefined
    return [
      {
        event: 'agent_done',
        id: child,
        name: child,
        outcome: isStopped ? 'stopped' : marker?.shipped,
        stubs: marker?.stubs ?? undefined,
        duration_ms: call.extra.number('duration_ms'),
        tool_use_count: call.extra.count('tool_call_history'),
        error,
      },
      // The database may have reported the end first, and it knows neither of these outcomes.
      ...(isStopped ? [endLink(child, { status: 'completed', outcome: 'stopped' })] : []),
      ...(error === undefined ? [] : [endLink(child, { status: 'failed' })]),
      ...markerEvents(child, call.extra.text('child_summary') ?? ''),
    ]
  },
  pre_approval_request: (call) => {
    const { payload, extra, agent } = call
    if (isDecidedByModel(extra)) return toRawEvents(call)
    const what = payload.tool_name ?? extra.text('description')
    return [
      {
        event: 'agent_wait',
        agent_id: agent,
        reason: what === undefined ? 'asks for approval' : preview(`allow ${what}?`),
        call: extra.name('tool_call_id'),
        tool: payload.tool_name,
        input_preview: inputPreview(payload.tool_input) ?? preview(extra.text('command') ?? ''),
        wait: 'approval',
      },
    ]
  },
  post_approval_response: (call) => {
    const { payload, extra, agent } = call
    if (isDecidedByModel(extra)) return toRawEvents(call)
    const answer = extra.name('choice', 'decision', 'response')
    return [
      {
        event: 'answer',
        agent_id: agent,
        call: extra.name('tool_call_id'),
        tool: payload.tool_name,
        choice: answer === undefined || !REFUSED.test(answer) ? 'allow' : 'deny',
        answer,
      },
    ]
  },
  on_skill_lifecycle: (call) => {
    const skill = call.extra.name('skill_name', 'skill')
    const action = call.extra.text('action') ?? call.extra.text('event') ?? 'use'
    if (skill === undefined || !USES.test(action)) return toRawEvents(call)
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
  // Partial answers only matter to a client that streams them.
  on_stream_delta: () => [],
}

const FAILED = /fail|error|timeout|timed/i
/** The call did not complete because a person or a rule prevented it. */
const NOT_WANTED = /block|den(?:y|ied)|cancel|interrupt|abort/i
/** Nobody approved. Hermes treats an approval that times out as a denial. */
const REFUSED = /den(?:y|ied)|reject|refus|timeout/i
const USES = /use|load|view|invoke|run/i

const EDITS: ReadonlySet<string> = new Set(['write_file', 'patch', 'edit_file'])
const LONGEST_PATH = 1_024

export function toEvents(call: Call): readonly BareEvent[] {
  const { hook_event_name: hook } = call.payload
  const tell = Object.hasOwn(byHook, hook) ? byHook[hook] : undefined
  return tell ? tell(call) : toRawEvents(call)
}

/** The agent finished a turn and continues when its sub-agents report. Claude Code's hook has this name. */
export const REST = 'Stop'
export const rest = (name: string | undefined): BareEvent => ({
  event: 'hook',
  agent_id: 'main',
  hook: REST,
  name,
})

/** A sub-agent has only one turn. */
function markerEvents(agent: string, text: string): readonly BareEvent[] {
  const message = { agent, turn: undefined, text }
  return [...[statusIn(message) ?? []].flat(), ...claimsIn(message)]
}

/** Builds the end as the parent reports it. Repeated reports are one event. */
const endLink = (agent: string, how: object): BareEvent => ({
  event: 'agent_link',
  id: agent,
  name: `${agent}:end`,
  ...how,
})

/** A sub-agent has only one turn. Its end is counted by `subagent_stop`, unless that was reported before. */
function turnOver({ extra, agent, hasEnded }: Call): BareEvent {
  const outcome = extra.flag('interrupted') ? 'stopped' : undefined
  if (hasEnded) return { event: 'agent_done', id: agent, name: extra.name('turn_id'), outcome }
  return endLink(agent, { status: extra.flag('failed') ? 'failed' : 'completed', outcome })
}

/** Returns whether a call succeeded, or null when a person or a rule kept it from running. */
function readSuccess(extra: Extra): boolean | null {
  const status = extra.text('status') ?? ''
  const byResult = hermesToolSucceeded(extra.json('result') ?? '')
  if (byResult === null || NOT_WANTED.test(status)) return null
  const error = extra.text('error_message') ?? extra.text('error_type')
  return byResult && error === undefined && !FAILED.test(status)
}

/** Another model decides instead of a person, so nobody waits. */
const isDecidedByModel = (extra: Extra): boolean => extra.text('surface') === 'smart'

const toolCall = ({ payload, extra, agent }: Call) => {
  const id = extra.name('tool_call_id')
  return { id, name: id, agent_id: agent, tool: payload.tool_name ?? 'unknown' }
}

const sessionOver = ({ agent }: Call, reason: string): readonly BareEvent[] =>
  agent === 'main' ? [{ event: 'session_end', reason }] : [{ event: 'agent_done', id: agent, reason }]

/** A nested sub-agent names its parent; a child of the session's own agent does not. */
const parentAgent = ({ extra, agent }: Call): string => extra.name('parent_subagent_id') ?? agent

function goalPreview({ extra }: Call): string | undefined {
  const goal = extra.text('child_goal')
  return goal === undefined ? undefined : preview(goal)
}

/** A payload without a counterpart in the vocabulary is stored raw. */
export function toRawEvents({ payload, agent }: Call): readonly BareEvent[] {
  const { session_id: _session, hook_event_name: hook, delivery_id: _delivery, ...others } = payload
  const text = JSON.stringify(others)
  const beginning = truncateText(text)
  const shown = beginning === text ? others : { cut: beginning }
  return [{ event: 'hook', agent_id: agent, hook, payload: shown }]
}

/** Returns the file that a call changes, if it changes one. */
export function editedFile(
  tool: string | null | undefined,
  input: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  const file = EDITS.has(tool ?? '') ? (input?.path ?? input?.file_path) : undefined
  return typeof file === 'string' && file.length <= LONGEST_PATH ? file : undefined
}

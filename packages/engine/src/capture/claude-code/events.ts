import { basename } from 'node:path'
import { readStatus, skillOfCall } from '@panoptes/engine/stated'
import { beginningOf, inputPreview, preview } from '../preview.ts'
import { statusIn } from '../stated-events.ts'
import { agentLink, failedAgentCall, isAgentTool } from './agent-call.ts'
import type { HookPayload } from './payload.ts'
import { QUESTION_TOOL, questionsOf } from './questions.ts'
import { readTaskNotification } from './task-notification.ts'

/** An event as a hook tells it: without envelope but for its kind. */
export type Told = Readonly<Record<string, unknown>> & { readonly event: string }

/** `known`: the agent that is named has called tools. */
type Tell = (payload: HookPayload, known: boolean) => readonly Told[]

const MAIN = 'main'
/** The wait of an agent that may be answered from outside. */
export const PERMISSION_REQUEST = 'permission_request'
/** Why a call or a turn ended that a person broke off. */
export const INTERRUPTED = 'interrupted'
const agentIdOf = (payload: HookPayload): string => payload.agent_id ?? MAIN

const byHook: Readonly<Record<string, Tell>> = {
  SessionStart: (payload) => [
    {
      event: 'session_start',
      cwd: payload.cwd,
      project: payload.cwd ? basename(payload.cwd) || undefined : undefined,
      model: payload.model,
      reason: payload.source,
      transcript_path: payload.transcript_path,
    },
  ],
  SessionEnd: (payload) => [
    { event: 'session_end', reason: payload.reason ? preview(payload.reason) : undefined },
  ],
  UserPromptSubmit: prompted,
  PreToolUse: (payload) => [
    {
      event: 'tool_use',
      id: payload.tool_use_id,
      agent_id: agentIdOf(payload),
      subagent_type: payload.agent_id ? payload.agent_type : undefined,
      tool: payload.tool_name,
      input_preview: inputPreview(payload.tool_input),
      file: editedFile(payload),
    },
    ...(payload.tool_name === QUESTION_TOOL
      ? [
          {
            event: 'agent_wait',
            agent_id: agentIdOf(payload),
            reason: 'asks a question',
            call: payload.tool_use_id,
          },
        ]
      : []),
  ],
  PostToolUse: (payload) => [
    toolDone(payload, true),
    ...skillUse(payload, saysSuccess(payload)),
    ...agentCallEnded(payload),
  ],
  PostToolUseFailure: (payload) => [
    payload.is_interrupt === true ? brokenOff(payload) : toolDone(payload, false),
    ...skillUse(payload, payload.is_interrupt === true ? undefined : false),
    ...(isAgentTool(payload.tool_name) ? [{ event: 'agent_link', ...failedAgentCall(payload) }] : []),
    ...(payload.is_interrupt === true && !payload.agent_id ? [turnBrokenOff(payload)] : []),
  ],
  SubagentStart: (payload) =>
    isHelper(payload)
      ? nobodys(payload)
      : [{ event: 'agent_spawn', id: payload.agent_id, subagent_type: payload.agent_type }],
  SubagentStop: (payload, known) =>
    !payload.agent_id || (isHelper(payload) && !known)
      ? nobodys(payload)
      : [
          { ...ended(payload, payload.agent_id), transcript_path: payload.agent_transcript_path },
          ...statusOf(payload, payload.agent_id),
        ],
  Stop: (payload) => [...(worksOn(payload) ? [] : [ended(payload, MAIN)]), ...statusOf(payload, MAIN)],
  StopFailure: (payload) => [
    {
      event: 'agent_done',
      id: agentIdOf(payload),
      error: preview(payload.error ?? 'the turn failed'),
      prompt_id: payload.prompt_id,
    },
  ],
  Notification: notified,
  // A call that was not allowed has no other end.
  PermissionDenied: (payload) => [
    { ...toolDone(payload, false), error_preview: preview(payload.reason ?? 'permission denied') },
  ],
  Elicitation: (payload) => [
    {
      event: 'agent_wait',
      agent_id: agentIdOf(payload),
      reason: preview(payload.message ?? '') || 'asks a question',
      wait: 'elicitation',
    },
  ],
  ElicitationResult: (payload) => [{ event: 'answer', agent_id: agentIdOf(payload), wait: 'elicitation' }],
  PermissionRequest: (payload) => [
    {
      event: 'agent_wait',
      agent_id: agentIdOf(payload),
      reason: askedFor(payload),
      tool: payload.tool_name,
      input_preview: inputPreview(payload.tool_input),
      wait: PERMISSION_REQUEST,
    },
  ],
}

/** What a payload says, in our vocabulary. A hook we do not know is kept as it came. */
export function toldBy(payload: HookPayload, known: boolean): readonly Told[] {
  const tell = Object.hasOwn(byHook, payload.hook_event_name) ? byHook[payload.hook_event_name] : undefined
  return (
    tell?.(payload, known) ?? [
      { event: 'hook', agent_id: agentIdOf(payload), hook: payload.hook_event_name, payload: rest(payload) },
    ]
  )
}

/** Agents that the client makes for itself have an empty type: they are shown only if they do something. */
const isHelper = ({ agent_id, agent_type }: HookPayload): boolean => !agent_id || agent_type === ''

const nobodys = (payload: HookPayload): readonly Told[] => [
  { event: 'hook', hook: payload.hook_event_name, payload: rest(payload) },
]

function askedFor({ tool_name, tool_input }: HookPayload): string {
  if (tool_name !== QUESTION_TOOL) return `allow ${tool_name ?? 'this'}?`
  return preview(questionsOf(tool_input)?.questions[0]?.question ?? '') || 'asks a question'
}

function prompted(payload: HookPayload): readonly Told[] {
  const task = readTaskNotification(payload.prompt ?? '')
  if (task === undefined)
    return [
      {
        event: 'prompt',
        agent_id: agentIdOf(payload),
        prompt_id: payload.prompt_id,
        prompt_preview: preview(payload.prompt ?? ''),
        transcript_path: payload.transcript_path,
      },
    ]
  const prompt = {
    event: 'prompt',
    agent_id: agentIdOf(payload),
    prompt_id: payload.prompt_id,
    origin: 'client',
    about: task.agent,
  }
  if (task.agent === undefined) return [prompt]
  return [
    prompt,
    {
      event: 'agent_link',
      id: task.agent,
      tool_use_id: task.call,
      background: true,
      status: task.status,
      reason: task.stopped ? 'stopped' : undefined,
      outcome: readStatus(task.result ?? '')?.shipped,
    },
  ]
}

const toolDone = (payload: HookPayload, ok: boolean): Told => ({
  event: 'tool_done',
  id: payload.tool_use_id,
  agent_id: agentIdOf(payload),
  subagent_type: payload.agent_id ? payload.agent_type : undefined,
  tool: payload.tool_name,
  ok,
  duration_ms: payload.duration_ms,
  error_preview: payload.error ? preview(payload.error) : undefined,
})

/** A person broke the call off: that is neither a success nor a failure, and no sample of how long it takes. */
const brokenOff = (payload: HookPayload): Told => ({
  ...toolDone(payload, false),
  ok: undefined,
  duration_ms: undefined,
  reason: INTERRUPTED,
})

/** With a call of its own the session's agent loses its turn; no Stop tells it. */
const turnBrokenOff = (payload: HookPayload): Told => ({
  event: 'agent_done',
  id: MAIN,
  reason: INTERRUPTED,
  prompt_id: payload.prompt_id,
})

function agentCallEnded(payload: HookPayload): readonly Told[] {
  const link = isAgentTool(payload.tool_name) ? agentLink(payload) : undefined
  return link === undefined ? [] : [{ event: 'agent_link', ...link }]
}

/** What is known at this moment; whether the skill did its work shows by what is called after it. */
function skillUse(payload: HookPayload, success: boolean | undefined): readonly Told[] {
  const skill = skillOfCall(payload.tool_name ?? '', payload.tool_input)
  if (skill === undefined) return []
  return [{ event: 'skill_use', id: payload.tool_use_id, agent_id: agentIdOf(payload), skill, success }]
}

const saysSuccess = ({ tool_response }: HookPayload): boolean =>
  (tool_response as { success?: unknown } | null | undefined)?.success !== false

function ended(payload: HookPayload, id: string): Told {
  const marker = readStatus(payload.last_assistant_message ?? '')
  return {
    event: 'agent_done',
    id,
    prompt_id: turnOf(payload, id),
    outcome: marker?.shipped,
    stubs: marker?.stubs,
  }
}

/** An agent in the background outlives the prompt it was made for. */
export const turnOf = ({ prompt_id }: HookPayload, agent: string): string | undefined =>
  agent === MAIN ? (prompt_id ?? undefined) : undefined

function statusOf(payload: HookPayload, agent: string): readonly Told[] {
  const text = payload.last_assistant_message ?? ''
  return [statusIn({ agent, turn: turnOf(payload, agent), text }) ?? []].flat()
}

/** A turn that leaves agents behind has not ended: they report back to it. */
const worksOn = (payload: HookPayload): boolean =>
  (payload.background_tasks ?? []).some((task) => task.status === 'running' || task.status === 'pending')

const WAITS: Readonly<Record<string, string>> = {
  permission_prompt: 'asks for permission',
  idle_prompt: 'waits for your next prompt',
  elicitation_dialog: 'asks a question',
}

function notified(payload: HookPayload): readonly Told[] {
  const reason = WAITS[payload.notification_type ?? '']
  const message = preview(payload.message ?? '')
  if (reason === undefined) return [{ event: 'notice', agent_id: agentIdOf(payload), message }]
  return [
    {
      event: 'agent_wait',
      agent_id: agentIdOf(payload),
      reason: message || reason,
      wait: payload.notification_type,
    },
  ]
}

const EDITS: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])

/** A longer one would have to be cut, and then it is the name of another file. */
const LONGEST_PATH = 1_024

function editedFile(payload: HookPayload): string | undefined {
  if (!EDITS.has(payload.tool_name ?? '')) return undefined
  const file = payload.tool_input?.file_path ?? payload.tool_input?.notebook_path
  return typeof file === 'string' && file.length <= LONGEST_PATH ? file : undefined
}

function rest(payload: HookPayload): unknown {
  const { session_id: _session, hook_event_name: _hook, ...others } = payload
  const text = JSON.stringify(others)
  const kept = beginningOf(text)
  return kept === text ? others : { cut: kept }
}

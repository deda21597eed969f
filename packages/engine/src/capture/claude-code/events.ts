import { basename } from 'node:path'
import { extractUserMessage, readStatus, skillOfCall } from '@panoptes/engine/markers'
import { isDenied } from '@panoptes/engine/sources'
import { isName } from '@panoptes/schema'
import { statusIn } from '../marker-events.ts'
import { inputPreview, preview, truncateText } from '../preview.ts'
import { agentLink, failedAgentCall, isAgentTool } from './agent-call.ts'
import { toFields } from './fields.ts'
import type { HookPayload } from './payload.ts'
import { parseQuestions, QUESTION_TOOL } from './questions.ts'
import { readTaskNotification, type TaskNotification } from './task-notification.ts'

/** An event from a hook before its envelope is added. */
export type BareEvent = Readonly<Record<string, unknown>> & { readonly event: string }

/** `hasWorked` says whether the named agent has begun or called tools. */
type Tell = (payload: HookPayload, hasWorked: boolean) => readonly BareEvent[]

const MAIN = 'main'
/** A wait that can be answered from outside. */
export const PERMISSION_REQUEST = 'permission_request'
/** The hook that ends a turn. Its name is stored when the turn left background work. */
const RESTED = 'Stop'
/** The reason of a call or turn that a person interrupted. */
export const INTERRUPTED = 'interrupted'
const actingAgent = (payload: HookPayload): string => payload.agent_id ?? MAIN

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
  UserPromptSubmit: promptEvents,
  PreToolUse: (payload) => [
    {
      event: 'tool_use',
      id: payload.tool_use_id,
      agent_id: actingAgent(payload),
      subagent_type: payload.agent_id ? payload.agent_type : undefined,
      tool: payload.tool_name,
      input_preview: inputPreview(payload.tool_input),
      file: editedFile(payload),
    },
    ...(payload.tool_name === QUESTION_TOOL
      ? [
          {
            event: 'agent_wait',
            agent_id: actingAgent(payload),
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
    ...agentStopped(payload),
  ],
  PostToolUseFailure: (payload) => [
    hasRun(payload)
      ? toolDone(payload, false)
      : notRun(payload, payload.is_interrupt === true ? INTERRUPTED : 'denied'),
    ...skillUse(payload, hasRun(payload) ? false : undefined),
    ...(isAgentTool(payload.tool_name) ? [{ event: 'agent_link', ...failedAgentCall(payload) }] : []),
    ...(payload.is_interrupt === true && !payload.agent_id ? [turnBrokenOff(payload)] : []),
  ],
  SubagentStart: (payload) =>
    isHelper(payload)
      ? nobodys(payload)
      : [{ event: 'agent_spawn', id: payload.agent_id, subagent_type: payload.agent_type }],
  SubagentStop: (payload, hasWorked) =>
    !payload.agent_id || (isHelper(payload) && !hasWorked)
      ? nobodys(payload)
      : [
          { ...endEvent(payload, payload.agent_id), transcript_path: payload.agent_transcript_path },
          ...statusEvents(payload, payload.agent_id),
        ],
  Stop: (payload) => [
    worksOn(payload) ? idleEvent(payload) : endEvent(payload, MAIN),
    ...statusEvents(payload, MAIN),
  ],
  // The client makes model requests for itself, for instance to summarise an agent's progress, under the id
  // of an agent that never began.
  StopFailure: (payload, hasWorked) =>
    payload.agent_id && !payload.agent_type && !hasWorked
      ? nobodys(payload)
      : [
          {
            event: 'agent_done',
            id: actingAgent(payload),
            error: preview(payload.error ?? 'the turn failed'),
            prompt_id: payload.prompt_id,
          },
        ],
  Notification: notificationEvents,
  // A denied call has no other end event.
  PermissionDenied: (payload) => [
    { ...notRun(payload, 'denied'), error_preview: preview(payload.reason ?? 'permission denied') },
  ],
  Elicitation: (payload) => [
    {
      event: 'agent_wait',
      agent_id: actingAgent(payload),
      reason: preview(payload.message ?? '') || 'asks a question',
      wait: 'elicitation',
    },
  ],
  ElicitationResult: (payload) => [{ event: 'answer', agent_id: actingAgent(payload), wait: 'elicitation' }],
  PermissionRequest: (payload) => [
    {
      event: 'agent_wait',
      agent_id: actingAgent(payload),
      reason: permissionReason(payload),
      tool: payload.tool_name,
      input_preview: inputPreview(payload.tool_input),
      wait: PERMISSION_REQUEST,
    },
  ],
}

/** Converts a payload into the vocabulary. An unknown hook is stored raw. */
export function toEvents(payload: HookPayload, hasWorked: boolean): readonly BareEvent[] {
  const tell = Object.hasOwn(byHook, payload.hook_event_name) ? byHook[payload.hook_event_name] : undefined
  return (
    tell?.(payload, hasWorked) ?? [
      {
        event: 'hook',
        agent_id: actingAgent(payload),
        hook: payload.hook_event_name,
        payload: rest(payload),
      },
    ]
  )
}

/**
 * Agents that the client creates for itself have an empty type. They are shown only when they do something.
 */
const isHelper = ({ agent_id, agent_type }: HookPayload): boolean => !agent_id || agent_type === ''

const nobodys = (payload: HookPayload): readonly BareEvent[] => [
  { event: 'hook', hook: payload.hook_event_name, payload: rest(payload) },
]

function permissionReason({ tool_name, tool_input }: HookPayload): string {
  if (tool_name !== QUESTION_TOOL) return `allow ${tool_name ?? 'this'}?`
  return preview(parseQuestions(tool_input)?.questions[0]?.question ?? '') || 'asks a question'
}

/** Returns true for a user message that the client writes itself and that no person typed. */
export const isClientText = (text: string): boolean =>
  /^\s*<(?:system-reminder>|local-command-|bash-)/.test(text)
const NO_TASK: Partial<TaskNotification> = {}

function promptEvents(payload: HookPayload): readonly BareEvent[] {
  const text = payload.prompt ?? ''
  const task = readTaskNotification(text) ?? (isClientText(text) ? NO_TASK : undefined)
  if (task === undefined)
    return [
      {
        event: 'prompt',
        agent_id: actingAgent(payload),
        prompt_id: payload.prompt_id,
        prompt_preview: preview(extractUserMessage(text)),
        transcript_path: payload.transcript_path,
      },
    ]
  const prompt = {
    event: 'prompt',
    agent_id: actingAgent(payload),
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
      duration_ms: task.durationMs,
      outcome: task.stopped ? 'stopped' : readStatus(task.result ?? '')?.shipped,
    },
  ]
}

const toolDone = (payload: HookPayload, ok: boolean): BareEvent => ({
  event: 'tool_done',
  id: payload.tool_use_id,
  agent_id: actingAgent(payload),
  subagent_type: payload.agent_id ? payload.agent_type : undefined,
  tool: payload.tool_name,
  ok,
  duration_ms: payload.duration_ms,
  error_preview: payload.error ? preview(payload.error) : undefined,
})

/** Returns true when a failed call was neither denied nor interrupted. */
const hasRun = ({ is_interrupt, error }: HookPayload): boolean =>
  is_interrupt !== true && !isDenied({}, error ?? '')

/** A denied or interrupted call is neither a success nor a failure, and its duration is not a sample. */
const notRun = (payload: HookPayload, reason: string): BareEvent => ({
  ...toolDone(payload, false),
  ok: undefined,
  duration_ms: undefined,
  reason,
})

/** An interrupted call of the session's own agent also ends its turn, and no Stop follows. */
const turnBrokenOff = (payload: HookPayload): BareEvent => ({
  event: 'agent_done',
  id: MAIN,
  reason: INTERRUPTED,
  outcome: 'stopped',
  prompt_id: payload.prompt_id,
})

/** Another agent ended one that worked in the background. */
function agentStopped({ tool_name, tool_input, tool_response }: HookPayload): readonly BareEvent[] {
  if (tool_name !== 'TaskStop') return []
  const { task_id, task_type } = toFields(tool_response)
  const id = task_id ?? tool_input?.task_id
  if (task_type !== 'local_agent' || !isName(id)) return []
  return [{ event: 'agent_done', id, outcome: 'stopped', reason: 'stopped' }]
}

function agentCallEnded(payload: HookPayload): readonly BareEvent[] {
  const link = isAgentTool(payload.tool_name) ? agentLink(payload) : undefined
  return link === undefined ? [] : [{ event: 'agent_link', ...link }]
}

/** Records whether the skill's call succeeded. Later calls show whether the skill did its work. */
function skillUse(payload: HookPayload, success: boolean | undefined): readonly BareEvent[] {
  const skill = skillOfCall(payload.tool_name ?? '', payload.tool_input)
  if (skill === undefined) return []
  return [{ event: 'skill_use', id: payload.tool_use_id, agent_id: actingAgent(payload), skill, success }]
}

const saysSuccess = ({ tool_response }: HookPayload): boolean =>
  (tool_response as { success?: unknown } | null | undefined)?.success !== false

function endEvent(payload: HookPayload, id: string): BareEvent {
  const marker = readStatus(payload.last_assistant_message ?? '')
  return {
    event: 'agent_done',
    id,
    prompt_id: turnId(payload, id),
    outcome: marker?.shipped,
    stubs: marker?.stubs ?? undefined,
  }
}

/** A background agent outlives the prompt that created it. */
export const turnId = ({ prompt_id }: HookPayload, agent: string): string | undefined =>
  agent === MAIN ? (prompt_id ?? undefined) : undefined

function statusEvents(payload: HookPayload, agent: string): readonly BareEvent[] {
  const text = payload.last_assistant_message ?? ''
  return [statusIn({ agent, turn: turnId(payload, agent), text }) ?? []].flat()
}

/** The agent finished its turn and continues when its background work reports. */
const idleEvent = (payload: HookPayload): BareEvent => ({
  event: 'hook',
  agent_id: MAIN,
  hook: RESTED,
  prompt_id: payload.prompt_id,
  tasks: (payload.background_tasks ?? []).length,
})

/** A turn with running background agents has not ended, because they report back to it. */
const worksOn = (payload: HookPayload): boolean =>
  (payload.background_tasks ?? []).some((task) => task.status === 'running' || task.status === 'pending')

const WAITS: Readonly<Record<string, string>> = {
  permission_prompt: 'asks for permission',
  idle_prompt: 'waits for your next prompt',
  elicitation_dialog: 'asks a question',
}

function notificationEvents(payload: HookPayload): readonly BareEvent[] {
  const reason = WAITS[payload.notification_type ?? '']
  const message = preview(payload.message ?? '')
  if (reason === undefined) return [{ event: 'notice', agent_id: actingAgent(payload), message }]
  return [
    {
      event: 'agent_wait',
      agent_id: actingAgent(payload),
      reason: message || reason,
      wait: payload.notification_type,
    },
  ]
}

const EDITS: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])

/** A longer path would have to be cut and would then name another file. */
const LONGEST_PATH = 1_024

function editedFile(payload: HookPayload): string | undefined {
  if (!EDITS.has(payload.tool_name ?? '')) return undefined
  const file = payload.tool_input?.file_path ?? payload.tool_input?.notebook_path
  return typeof file === 'string' && file.length <= LONGEST_PATH ? file : undefined
}

function rest(payload: HookPayload): unknown {
  const { session_id: _session, hook_event_name: _hook, ...others } = payload
  const text = JSON.stringify(others)
  const beginning = truncateText(text)
  return beginning === text ? others : { cut: beginning }
}

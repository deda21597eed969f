import { INTERRUPTED } from '@panoptes/engine/sources'
import type { WrittenEvent } from '../capture.ts'
import { preview } from '../preview.ts'
import { isAgentTool } from './agent-call.ts'
import type { AgentFiles } from './agent-files.ts'
import { isClientText } from './events.ts'
import { type Fields, toFields, toName, toText } from './fields.ts'
import type { HookPayload } from './payload.ts'
import { CLAUDE_CODE, checkPayload, claimEvents, hookEvents } from './read.ts'
import { createReplies } from './replies.ts'
import { type IsCopied, type Row, readRow, resultText } from './transcript-row.ts'
import {
  endTask,
  meet,
  noteCall,
  noteEnd,
  noteTask,
  resume,
  type TranscriptState,
  takeCall,
} from './transcript-state.ts'

/** Identifies the transcript. */
export interface TranscriptOf {
  readonly session: string
  /** The agent that owns the file; undefined for the session's own transcript. */
  readonly agent: string | undefined
  readonly agentType: string | undefined
  /** The session's transcript, also when this file belongs to an agent. */
  readonly path: string
  /** This is true when the file was read from its first row. */
  readonly whole: boolean
  readonly isCopied?: IsCopied
}

/** Converts each transcript row to the hook payload of that moment, and that to the same events. */
export interface TranscriptReader {
  readonly read: (line: string) => readonly WrittenEvent[]
}

const MAIN = 'main'
const OWN_IDS = /^a[0-9a-f]{6,64}$/
/** Older clients begin the output of a command with this text. */
const CAVEAT = 'Caveat: '
const COMMAND = '<command-'

export function createTranscriptReader(
  of: TranscriptOf,
  state: TranscriptState,
  files: AgentFiles,
  from: number,
): TranscriptReader {
  const { session, path, isCopied } = of
  const replies = createReplies()
  let whole = of.whole

  const tell = (row: Row, hook: string, fields: Fields): readonly WrittenEvent[] => {
    const payload = toPayload(row, hook, fields)
    if (payload === undefined) return []
    files.hear(payload, row.ts, row.ts >= from)
    return hookEvents(payload, true).map((event) => keyed(row, event))
  }

  const toPayload = (row: Row, hook: string, fields: Fields): HookPayload | undefined => {
    const agent = rowOwner(row)
    const checked = checkPayload({
      session_id: session,
      hook_event_name: hook,
      transcript_path: path,
      prompt_id: row.prompt ?? state.prompt ?? undefined,
      ...(agent === MAIN ? {} : { agent_id: agent, agent_type: of.agentType }),
      ...fields,
    })
    return 'problem' in checked ? undefined : checked.payload
  }

  const keyed = (row: Row, event: Fields & { event: string; key?: string }): WrittenEvent => ({
    ...event,
    source: CLAUDE_CODE,
    session_id: session,
    ts: row.ts,
    key: event.key ?? `${CLAUDE_CODE}:${session}:${row.uuid}:${event.event}`,
  })

  const rowOwner = (row: Row): string => of.agent ?? row.agent ?? MAIN

  const read = (row: Row): readonly WrittenEvent[] => {
    if (row.prompt !== undefined) state.prompt = row.prompt
    if (row.type === 'queued') return queued(row)
    return [...begin(row), ...(row.type === 'user' ? userRow(row) : answered(row))]
  }

  const begin = (row: Row): readonly WrittenEvent[] => {
    const owner = rowOwner(row)
    const isPrompt = row.type === 'user' && row.text !== '' && !row.text.startsWith(INTERRUPTED)
    const isResumed = isPrompt && resume(state, owner)
    const isNew = meet(state, owner)
    if (owner === MAIN)
      return isNew ? tell(row, 'SessionStart', { cwd: row.cwd, ...(whole ? STARTUP : {}) }) : []
    if ((!isNew && !isResumed) || (of.agentType === undefined && !OWN_IDS.test(owner))) return []
    const promptPreview =
      isNew && row.type === 'user' && row.text !== '' ? { prompt_preview: preview(row.text) } : {}
    return tell(row, 'SubagentStart', {}).map((event) => ({ ...event, ...promptPreview }))
  }

  /** When a background agent reports, its end is known before the main agent has time to read the message. */
  const queued = (row: Row): readonly WrittenEvent[] => {
    const task = taskIn(row.text)
    if (task === undefined) return []
    endTask(state, task)
    return tell(row, 'UserPromptSubmit', { prompt: row.text }).filter(({ event }) => event === 'agent_link')
  }

  const userRow = (row: Row): readonly WrittenEvent[] => {
    const results = row.blocks.filter(({ type }) => type === 'tool_result')
    if (results.length > 0) return results.flatMap((block) => ended(row, block))
    if (row.aside) return []
    if (row.text.startsWith(INTERRUPTED)) return interrupted(row)
    const owner = rowOwner(row)
    if (owner !== MAIN) return []
    const text = row.text.trimStart()
    const task = taskIn(text)
    if (task !== undefined) endTask(state, task)
    if (text === '' || isClientText(text) || text.startsWith(CAVEAT)) return []
    state.command = text.startsWith(COMMAND) ? { ts: row.ts, text: commandIn(text) } : null
    return state.command === null ? tell(row, 'UserPromptSubmit', { prompt: row.text }) : []
  }

  const interrupted = (row: Row): readonly WrittenEvent[] => {
    const agent = rowOwner(row)
    const prompt = agent === MAIN ? { prompt_id: row.prompt ?? state.prompt ?? undefined } : {}
    noteEnd(state, agent)
    return [
      keyed(row, { event: 'agent_done', id: agent, reason: 'interrupted', outcome: 'stopped', ...prompt }),
    ]
  }

  const ended = (row: Row, block: Fields): readonly WrittenEvent[] => {
    const id = toName(block.tool_use_id)
    if (id === undefined) return []
    const call = takeCall(state, id)
    // A session forked in the middle of a call gets a result for it, but the call belongs to the other
    // session.
    if (call === undefined && of.whole) return []
    const result = toFields(row.result)
    const text = resultText(block)
    const about = {
      tool_use_id: id,
      tool_name: call?.tool,
      tool_input: call?.input,
      duration_ms: result.durationMs ?? result.totalDurationMs ?? since(row, call?.ts),
    }
    if (block.is_error !== true) {
      const task = leftBehind(result)
      if (task !== undefined) noteTask(state, task)
      return tell(row, 'PostToolUse', { ...about, tool_response: row.result })
    }
    if (row.isDenied(text))
      return tell(row, 'PostToolUse', about)
        .filter(({ event }) => event !== 'skill_use')
        .map(withoutWord)
    return tell(row, 'PostToolUseFailure', { ...about, error: text })
  }

  const eventKey = (id: string, event: string): string => `${CLAUDE_CODE}:${session}:${id}:${event}`

  const answered = (row: Row): readonly WrittenEvent[] => {
    if (row.failed) {
      noteEnd(state, rowOwner(row))
      return tell(row, 'StopFailure', { error: row.text, last_assistant_message: row.text })
    }
    if (row.message.model === '<synthetic>') return []
    const reply = replies.take(row, rowOwner(row))
    const usage = reply.usages.map((event) => keyed(row, { ...event, key: eventKey(event.id, 'usage') }))
    const calls = row.blocks.filter(({ type }) => type === 'tool_use').flatMap((block) => called(row, block))
    const end = reply.ended ? stopped(row, reply.text) : []
    return [...command(row), ...claimed(row), ...calls, ...usage, ...end]
  }

  /** The text of a reply arrives in blocks, one row each; a hook reports the last. */
  const claimed = (row: Row): readonly WrittenEvent[] => {
    const payload = row.text === '' ? undefined : toPayload(row, 'Stop', {})
    if (payload === undefined) return []
    return claimEvents(payload, rowOwner(row), row.text).map((event) => keyed(row, event))
  }

  const command = (row: Row): readonly WrittenEvent[] => {
    if (state.command === null || rowOwner(row) !== MAIN) return []
    const { ts, text } = state.command
    state.command = null
    return tell({ ...row, ts, uuid: `${row.uuid}:command` }, 'UserPromptSubmit', { prompt: text })
  }

  const called = (row: Row, block: Fields): readonly WrittenEvent[] => {
    const id = toName(block.id)
    const tool = toName(block.name)
    if (id === undefined || tool === undefined) return []
    const input = toFields(block.input)
    noteCall(state, id, { tool, ts: row.ts, input: pickInput(tool, input) })
    const stops = toText(input.task_id) ?? toText(input.shell_id)
    if (stops !== undefined && STOPS.has(tool)) endTask(state, stops)
    return tell(row, 'PreToolUse', { tool_use_id: id, tool_name: tool, tool_input: input })
  }

  const stopped = (row: Row, text: string): readonly WrittenEvent[] => {
    if (rowOwner(row) !== MAIN) {
      noteEnd(state, rowOwner(row))
      return tell(row, 'SubagentStop', { last_assistant_message: text })
    }
    const background_tasks = state.tasks.map((id) => ({ id, status: 'running' }))
    return tell(row, 'Stop', { last_assistant_message: text, background_tasks })
  }

  return {
    read: (line) => {
      const row = readRow(line, session, isCopied)
      if (row === undefined) return []
      const events = read(row)
      if (row.ts >= from) return events
      // Rows that are too old to report still update the state. The agent's beginning is reported with the
      // rows that follow.
      state.begun = []
      whole = false
      return []
    },
  }
}

const STARTUP = { source: 'startup' }
const STOPS: ReadonlySet<string> = new Set(['KillShell', 'KillBash', 'TaskStop'])

const since = (row: Row, ts: number | undefined): number | undefined =>
  ts === undefined || row.ts < ts ? undefined : row.ts - ts

/** A denied or interrupted call is neither a success nor a failure, and its duration is not a sample. */
const withoutWord = ({ ok: _ok, duration_ms: _took, ...event }: WrittenEvent): WrittenEvent =>
  event as WrittenEvent

/** The text is stored with the position in the file, so secrets are removed here too. */
const shorten = (text: string): string => preview(text).slice(0, 400)

/** Rebuilds what a person typed from the tags that the client writes. */
const commandIn = (text: string): string => {
  const within = (tag: string) => text.split(`<${tag}>`, 2)[1]?.split(`</${tag}>`, 1)[0] ?? ''
  return shorten(`${within('command-name')} ${within('command-args')}`).trim()
}

const INPUT_FIELDS = ['description', 'name', 'subagent_type', 'model', 'skill'] as const

/** Keeps the input fields of an agent or skill call that its end does not repeat. */
function pickInput(tool: string, input: Fields): Record<string, string> | undefined {
  if (!isAgentTool(tool) && tool !== 'Skill') return undefined
  const fields = INPUT_FIELDS.flatMap((key) => {
    const value = toText(input[key])
    return value === undefined ? [] : [[key, shorten(value)] as const]
  })
  return Object.fromEntries(fields)
}

/**
 * Returns the background task that a call left: a command, a new agent, or an agent that a message resumed.
 */
const leftBehind = (result: Fields): string | undefined =>
  toName(result.backgroundTaskId) ??
  (result.status === 'async_launched' ? toName(result.agentId) : undefined) ??
  toName(result.resumedAgentId) ??
  toName(result.revivedAgentId)

/** Returns the background task that a client message is about. */
const taskIn = (text: string): string | undefined =>
  text.trimStart().startsWith('<task-notification>')
    ? toName(/<task-id>([^<]*)<\/task-id>/.exec(text.slice(0, 2_000))?.[1]?.trim())
    : undefined

import type { WrittenEvent } from '../capture.ts'
import { preview } from '../preview.ts'
import type { AgentFiles } from './agent-files.ts'
import { type Fields, fieldsOf, nameOf, textOf } from './fields.ts'
import type { HookPayload } from './payload.ts'
import { CLAUDE_CODE, checkPayload, claimEvents, eventsOf } from './read.ts'
import { createReplies } from './replies.ts'
import { isDenied, isRefused, resultText } from './results.ts'
import { type Row, readRow } from './transcript-row.ts'
import { endTask, meet, noteCall, noteTask, type TranscriptState, takeCall } from './transcript-state.ts'
import { commandIn, keptOf, launched, taskIn } from './transcript-words.ts'

/** Whose transcript it is. */
export interface TranscriptOf {
  readonly session: string
  /** The agent whose own file it is; none for the session's. */
  readonly agent: string | undefined
  readonly agentType: string | undefined
  /** The session's transcript, also where this is the file of an agent. */
  readonly path: string
  /** The file was read from its first row on. */
  readonly whole: boolean
}

/** Makes of each row of a transcript what a hook would have told at that moment, and of that the same events. */
export interface TranscriptReader {
  readonly read: (line: string) => readonly WrittenEvent[]
}

const MAIN = 'main'
const OWN_IDS = /^a[0-9a-f]{6,64}$/
const INTERRUPTED = '[Request interrupted by user'
/** The client's own doings in the shape of a person's words. */
const NO_PROMPT = ['<local-command-', '<bash-', '<system-reminder>', 'Caveat: '] as const
const COMMAND = '<command-'

export function createTranscriptReader(
  of: TranscriptOf,
  state: TranscriptState,
  files: AgentFiles,
  from: number,
): TranscriptReader {
  const { session, path } = of
  const replies = createReplies()
  let whole = of.whole

  const tell = (row: Row, hook: string, fields: Fields): readonly WrittenEvent[] => {
    const payload = payloadOf(row, hook, fields)
    if (payload === undefined) return []
    files.hear(payload, row.ts)
    return eventsOf(payload, true).map((told) => keyed(row, told))
  }

  const payloadOf = (row: Row, hook: string, fields: Fields): HookPayload | undefined => {
    const agent = ownerOf(row)
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

  const keyed = (row: Row, told: Fields & { event: string; key?: string }): WrittenEvent => ({
    ...told,
    source: CLAUDE_CODE,
    session_id: session,
    ts: row.ts,
    key: told.key ?? `${CLAUDE_CODE}:${session}:${row.uuid}:${told.event}`,
  })

  const ownerOf = (row: Row): string => of.agent ?? row.agent ?? MAIN

  const read = (row: Row): readonly WrittenEvent[] => {
    if (row.prompt !== undefined) state.prompt = row.prompt
    if (row.type === 'queued') return queued(row)
    return [...begin(row), ...(row.type === 'user' ? said(row) : answered(row))]
  }

  const begin = (row: Row): readonly WrittenEvent[] => {
    const owner = ownerOf(row)
    if (!meet(state, owner)) return []
    if (owner === MAIN) return tell(row, 'SessionStart', { cwd: row.cwd, ...(whole ? STARTUP : {}) })
    if (of.agentType === undefined && !OWN_IDS.test(owner)) return []
    const asked = row.type === 'user' && row.text !== '' ? { prompt_preview: preview(row.text) } : {}
    return tell(row, 'SubagentStart', {}).map((told) => ({ ...told, ...asked }))
  }

  /** An agent in the background reports: that it has ended is known before anyone has time to hear it. */
  const queued = (row: Row): readonly WrittenEvent[] => {
    const task = taskIn(row.text)
    if (task === undefined) return []
    endTask(state, task)
    return tell(row, 'UserPromptSubmit', { prompt: row.text }).filter(({ event }) => event === 'agent_link')
  }

  const said = (row: Row): readonly WrittenEvent[] => {
    const results = row.blocks.filter(({ type }) => type === 'tool_result')
    if (results.length > 0) return results.flatMap((block) => ended(row, block))
    if (row.aside) return []
    if (row.text.startsWith(INTERRUPTED)) return interrupted(row)
    const owner = ownerOf(row)
    if (owner !== MAIN) return []
    const text = row.text.trimStart()
    const task = taskIn(text)
    if (task !== undefined) endTask(state, task)
    if (text === '' || NO_PROMPT.some((mark) => text.startsWith(mark))) return []
    state.command = text.startsWith(COMMAND) ? { ts: row.ts, text: commandIn(text) } : null
    return state.command === null ? tell(row, 'UserPromptSubmit', { prompt: row.text }) : []
  }

  const interrupted = (row: Row): readonly WrittenEvent[] => {
    const agent = ownerOf(row)
    const prompt = agent === MAIN ? { prompt_id: row.prompt ?? state.prompt ?? undefined } : {}
    return [keyed(row, { event: 'agent_done', id: agent, reason: 'interrupted', ...prompt })]
  }

  const ended = (row: Row, block: Fields): readonly WrittenEvent[] => {
    const id = nameOf(block.tool_use_id)
    if (id === undefined) return []
    const call = takeCall(state, id)
    const result = fieldsOf(row.result)
    const text = resultText(block)
    if (block.is_error === true && isRefused(text)) return refused(row, id, call?.tool)
    const about = {
      tool_use_id: id,
      tool_name: call?.tool,
      tool_input: call?.input,
      duration_ms: result.durationMs ?? result.totalDurationMs ?? since(row, call?.ts),
    }
    if (block.is_error !== true) {
      const task = nameOf(result.backgroundTaskId) ?? launched(result)
      if (task !== undefined) noteTask(state, task)
      return tell(row, 'PostToolUse', { ...about, tool_response: row.result })
    }
    if (isDenied(text))
      return tell(row, 'PostToolUse', about)
        .filter(({ event }) => event !== 'skill_use')
        .map(withoutWord)
    return tell(row, 'PostToolUseFailure', { ...about, error: text })
  }

  /** The client did not run it: hooks are told nothing of it, and what was told here is taken back. */
  const refused = (row: Row, id: string, tool: string | undefined): readonly WrittenEvent[] =>
    tool === undefined
      ? []
      : [
          keyed(row, {
            event: 'tool_refused',
            id,
            agent_id: ownerOf(row),
            tool,
            key: keyOf(id, 'tool_refused'),
          }),
        ]

  const keyOf = (id: string, event: string): string => `${CLAUDE_CODE}:${session}:${id}:${event}`

  const answered = (row: Row): readonly WrittenEvent[] => {
    if (row.failed) return tell(row, 'StopFailure', { error: row.text, last_assistant_message: row.text })
    if (row.message.model === '<synthetic>') return []
    const reply = replies.take(row, ownerOf(row))
    const usage = reply.usages.map((told) => keyed(row, { ...told, key: keyOf(told.id, 'usage') }))
    const calls = row.blocks.filter(({ type }) => type === 'tool_use').flatMap((block) => called(row, block))
    const end = reply.ended ? stopped(row, reply.text) : []
    return [...command(row), ...claimed(row), ...calls, ...usage, ...end]
  }

  /** A reply's words come in blocks, a row each: a hook tells of the last. */
  const claimed = (row: Row): readonly WrittenEvent[] => {
    const payload = row.text === '' ? undefined : payloadOf(row, 'Stop', {})
    if (payload === undefined) return []
    return claimEvents(payload, ownerOf(row), row.text).map((told) => keyed(row, told))
  }

  const command = (row: Row): readonly WrittenEvent[] => {
    if (state.command === null || ownerOf(row) !== MAIN) return []
    const { ts, text } = state.command
    state.command = null
    return tell({ ...row, ts, uuid: `${row.uuid}:command` }, 'UserPromptSubmit', { prompt: text })
  }

  const called = (row: Row, block: Fields): readonly WrittenEvent[] => {
    const id = nameOf(block.id)
    const tool = nameOf(block.name)
    if (id === undefined || tool === undefined) return []
    const input = fieldsOf(block.input)
    noteCall(state, id, { tool, ts: row.ts, input: keptOf(tool, input) })
    const stops = textOf(input.task_id) ?? textOf(input.shell_id)
    if (stops !== undefined && STOPS.has(tool)) endTask(state, stops)
    return tell(row, 'PreToolUse', { tool_use_id: id, tool_name: tool, tool_input: input })
  }

  const stopped = (row: Row, text: string): readonly WrittenEvent[] => {
    if (ownerOf(row) !== MAIN) return tell(row, 'SubagentStop', { last_assistant_message: text })
    const background_tasks = state.tasks.map((id) => ({ id, status: 'running' }))
    return tell(row, 'Stop', { last_assistant_message: text, background_tasks })
  }

  return {
    read: (line) => {
      const row = readRow(line, session)
      if (row === undefined) return []
      const events = read(row)
      if (row.ts >= from) return events
      // What is too old to be told still says how things stand; the beginning that is told is of what follows.
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

/** It did not run because somebody said no: that is neither a success nor a failure. */
const withoutWord = ({ ok: _ok, ...told }: WrittenEvent): WrittenEvent => told as WrittenEvent

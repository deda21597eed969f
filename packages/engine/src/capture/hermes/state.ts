import { basename } from 'node:path'
import { extractUserMessage, readStatus, skillOfCall } from '@panoptes/engine/markers'
import type { Message, Session } from '@panoptes/schema'
import type { WrittenEvent } from '../capture.ts'
import { digest, forgetOldest } from '../idempotency-key.ts'
import { claimsIn, type MarkerEvent, markerKey, statusIn } from '../marker-events.ts'
import { inputPreview, preview } from '../preview.ts'
import { editedFile, rest } from './events.ts'
import type { Kin } from './subagent-sessions.ts'

const HERMES = 'hermes'

type BareEvent = Readonly<Record<string, unknown>> & { readonly event: string }

/** Converts rows of `state.db` to the same events and keys as Hermes' hooks. */
export interface StateTeller {
  readonly begin: (session: Session, parent: string | null, first: Message) => readonly WrittenEvent[]
  readonly readMessage: (message: Message, tools: ToolNames) => readonly WrittenEvent[]
  /** Reads a message that Hermes wrote to itself: background delegates report with one. */
  readonly hearNotice: (message: Message) => void
  readonly end: (session: Session) => readonly WrittenEvent[]
  /** Reports that the Hermes process that ran the delegation is gone. */
  readonly lost: (delegation: string, ts: number) => readonly WrittenEvent[]
}

/** Remembers the tool and the time of each call. */
export interface ToolNames {
  readonly note: (call: string, made: MadeCall) => void
  readonly take: (call: string) => MadeCall | undefined
}

export interface MadeCall {
  readonly tool: string
  readonly ts: number
  /** The skill that the call loads. */
  readonly skill: string | undefined
}

/** The result of a call that left delegates at work. */
const BACKGROUND = /"mode":\s*"background".*"delegation_id":\s*"(deleg_\w+)"/s
const REPORT = /^\s*\[ASYNC DELEGATION /
const DELEGATION = /deleg_\w+/
const MOST_DELEGATIONS = 256

export function tellState({ session, agent }: Kin): StateTeller {
  /** Delegations in the background that have not reported yet. Each report begins another turn. */
  const delegations = new Map<string, true>()
  const tell = (
    ts: number,
    { name, ...fields }: BareEvent & { readonly name?: string | undefined },
  ): WrittenEvent => ({
    ...Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
    ),
    event: fields.event,
    source: HERMES,
    session_id: session,
    ts,
    key: `${HERMES}:${session}:${name}:${fields.event}`,
  })

  const markerEvent = (ts: number, event: MarkerEvent): WrittenEvent => ({
    ...tell(ts, event),
    key: `${HERMES}:${session}:${markerKey(event)}`,
  })

  const begin: StateTeller['begin'] = (of, parent, first) => {
    const ts = first.ts ?? of.started_at ?? 0
    const { cwd, model } = of
    if (agent === 'main')
      return [tell(ts, { event: 'session_start', name: 'start', cwd, project: projectName(cwd), model })]
    const promptPreview = first.role === 'user' ? { prompt_preview: preview(messageText(first)) } : {}
    return [
      tell(ts, { event: 'agent_spawn', name: agent, id: agent, parent_id: parent, model, ...promptPreview }),
    ]
  }

  const readMessage: StateTeller['readMessage'] = (message, tools) => {
    const { ts, role } = message
    if (ts === null) return []
    if (role === 'user') return prompted(message, ts)
    if (role === 'tool') return message.content.flatMap((block) => ended(block, ts, tools))
    if (role !== 'assistant') return []
    const calls = message.content.flatMap((block) => called(block, ts, tools))
    const reply = { agent, turn: agent === 'main' ? String(ts) : undefined, text: messageText(message) }
    const claims = claimsIn(reply).map((claim) => markerEvent(ts, claim))
    if (calls.length > 0) return [...claims, ...calls]
    const status = [statusIn({ ...reply, turn: undefined }) ?? []]
      .flat()
      .map((marker) => markerEvent(ts, marker))
    return [...claims, ...stopped(message, ts), ...status]
  }

  const prompted = (message: Message, ts: number): readonly WrittenEvent[] => {
    const text = preview(extractUserMessage(messageText(message)))
    if (agent !== 'main' || text === '') return []
    return [
      tell(ts, { event: 'prompt', name: digest(`${ts} ${text}`), agent_id: agent, prompt_preview: text }),
    ]
  }

  const called = (
    block: Message['content'][number],
    ts: number,
    tools: ToolNames,
  ): readonly WrittenEvent[] => {
    if (block.type !== 'tool_call' || block.id === '') return []
    const { id, tool } = block
    tools.note(id, { tool, ts, skill: skillOfCall(tool, block.input) })
    const input = typeof block.input === 'object' ? (block.input as Readonly<Record<string, unknown>>) : null
    return [
      tell(ts, {
        event: 'tool_use',
        name: id,
        id,
        agent_id: agent,
        tool,
        input_preview: inputPreview(input),
        file: editedFile(tool, input),
      }),
    ]
  }

  const ended = (
    block: Message['content'][number],
    ts: number,
    tools: ToolNames,
  ): readonly WrittenEvent[] => {
    if (block.type !== 'tool_result' || block.id === '') return []
    const { id, ok, text } = block
    const call = tools.take(id)
    const delegation = call?.tool === 'delegate_task' ? BACKGROUND.exec(text)?.[1] : undefined
    if (delegation !== undefined) {
      delegations.set(delegation, true)
      forgetOldest(delegations, MOST_DELEGATIONS)
    }
    return [
      tell(ts, {
        event: 'tool_done',
        name: id,
        id,
        agent_id: agent,
        tool: call?.tool,
        ok,
        duration_ms: call === undefined || ts < call.ts ? undefined : ts - call.ts,
        error_preview: ok ? undefined : preview(text),
      }),
      ...(call?.skill === undefined
        ? []
        : [tell(ts, { event: 'skill_use', name: id, id, agent_id: agent, skill: call.skill, success: ok })]),
    ]
  }

  /** A reply without calls ends the turn, and a sub-agent has only one turn. */
  const stopped = (message: Message, ts: number): readonly WrittenEvent[] => {
    const marker = readStatus(messageText(message))
    const name = agent === 'main' ? `${ts} ${digest(messageText(message))}` : agent
    if (agent === 'main' && delegations.size > 0) return [tell(ts, rest(name))]
    return [
      tell(ts, {
        event: 'agent_done',
        name,
        id: agent,
        outcome: marker?.shipped,
        stubs: marker?.stubs ?? undefined,
      }),
    ]
  }

  const hearNotice: StateTeller['hearNotice'] = (message) => {
    const text = messageText(message)
    const delegation = REPORT.test(text) ? DELEGATION.exec(text)?.[0] : undefined
    if (delegation !== undefined) delegations.delete(delegation)
  }

  const end: StateTeller['end'] = ({ ended_at: ts }) => {
    if (ts === null) return []
    if (agent === 'main') return [tell(ts, { event: 'session_end', name: `end ${ts}` })]
    return [tell(ts, { event: 'agent_done', name: agent, id: agent })]
  }

  const lost: StateTeller['lost'] = (delegation, ts) => [
    tell(ts, {
      event: 'agent_lost',
      name: `${agent} ${delegation}`,
      agent_id: agent,
      reason: 'the Hermes that ran it has ended',
    }),
  ]

  return { begin, readMessage, hearNotice, end, lost }
}

const projectName = (cwd: string | null): string | null => (cwd === null ? null : basename(cwd) || null)

const messageText = ({ content }: Message): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')

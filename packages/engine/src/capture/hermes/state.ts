import { basename } from 'node:path'
import { readStatus, skillOfCall } from '@panoptes/engine/stated'
import type { Message, Session } from '@panoptes/schema'
import type { WrittenEvent } from '../capture.ts'
import { digest } from '../key.ts'
import { inputPreview, preview } from '../preview.ts'
import { claimsIn, type StatedEvent, statedKey, statusIn } from '../stated-events.ts'
import { editedFile } from './edited-file.ts'
import type { Kin } from './family.ts'

const HERMES = 'hermes'

type Told = Readonly<Record<string, unknown>> & { readonly event: string }

/** Tells what a row of `state.db` says, in the words and under the keys of Hermes' hooks. */
export interface StateTeller {
  readonly begin: (session: Session, parent: string | null, first: Message) => readonly WrittenEvent[]
  readonly said: (message: Message, tools: ToolNames) => readonly WrittenEvent[]
  readonly end: (session: Session) => readonly WrittenEvent[]
}

/** Which tool a call was of, and when it was made. */
export interface ToolNames {
  readonly note: (call: string, made: MadeCall) => void
  readonly take: (call: string) => MadeCall | undefined
}

export interface MadeCall {
  readonly tool: string
  readonly ts: number
  /** The skill that it loads. */
  readonly skill: string | undefined
}

export function tellState({ session, agent }: Kin): StateTeller {
  const tell = (ts: number, { name, ...told }: Told & { readonly name?: string }): WrittenEvent => ({
    ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined && value !== null)),
    event: told.event,
    source: HERMES,
    session_id: session,
    ts,
    key: `${HERMES}:${session}:${name}:${told.event}`,
  })

  const stated = (ts: number, told: StatedEvent): WrittenEvent => ({
    ...tell(ts, told),
    key: `${HERMES}:${session}:${statedKey(told)}`,
  })

  const begin: StateTeller['begin'] = (of, parent, first) => {
    const ts = first.ts ?? of.started_at ?? 0
    const { cwd, model } = of
    if (agent === 'main')
      return [tell(ts, { event: 'session_start', name: 'start', cwd, project: projectOf(cwd), model })]
    const asked = first.role === 'user' ? { prompt_preview: preview(textOf(first)) } : {}
    return [tell(ts, { event: 'agent_spawn', name: agent, id: agent, parent_id: parent, model, ...asked })]
  }

  const said: StateTeller['said'] = (message, tools) => {
    const { ts, role } = message
    if (ts === null) return []
    if (role === 'user') return prompted(message, ts)
    if (role === 'tool') return message.content.flatMap((block) => ended(block, ts, tools))
    if (role !== 'assistant') return []
    const calls = message.content.flatMap((block) => called(block, ts, tools))
    const said = { agent, turn: agent === 'main' ? String(ts) : undefined, text: textOf(message) }
    const claims = claimsIn(said).map((claim) => stated(ts, claim))
    if (calls.length > 0) return [...claims, ...calls]
    const status = [statusIn({ ...said, turn: undefined }) ?? []].flat().map((marker) => stated(ts, marker))
    return [...claims, ...stopped(message, ts), ...status]
  }

  const prompted = (message: Message, ts: number): readonly WrittenEvent[] => {
    const text = preview(textOf(message))
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

  /** A reply that calls nothing ends the turn; a sub-agent has but one. */
  const stopped = (message: Message, ts: number): readonly WrittenEvent[] => {
    const marker = readStatus(textOf(message))
    const name = agent === 'main' ? `${ts} ${digest(textOf(message))}` : agent
    return [
      tell(ts, { event: 'agent_done', name, id: agent, outcome: marker?.shipped, stubs: marker?.stubs }),
    ]
  }

  const end: StateTeller['end'] = ({ ended_at: ts }) => {
    if (ts === null) return []
    if (agent === 'main') return [tell(ts, { event: 'session_end', name: `end ${ts}` })]
    return [tell(ts, { event: 'agent_done', name: agent, id: agent })]
  }

  return { begin, said, end }
}

const projectOf = (cwd: string | null): string | null => (cwd === null ? null : basename(cwd) || null)

const textOf = ({ content }: Message): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')

import type { SQLOutputValue } from 'node:sqlite'
import type { ContentBlock, Message } from '@panoptes/schema'
import { columnText } from '../database/text.ts'
import { countOf, type Fields, fieldsOf, isFields, listOf, textOf, timeOf } from '../fields.ts'
import { parsed } from '../json.ts'
import type { Worker } from '../port.ts'
import { type Part, partsOf, withoutParts } from './parts.ts'
import { usageOf } from './usage.ts'

export const MAIN = 'main'

/** The runtime that is paid for here: what others spend is told by their own sources, unless an answer says otherwise. */
const OURS = 'jarvis'

export interface Of {
  readonly session: string
  /** The run that is under way: its answer is told when it ended. */
  readonly running: string | null
  /** Who answered first, and is the session's own agent. */
  readonly first: string | null
  readonly state: Message['state']
}

export interface Told {
  readonly message?: Message
  /** Agents that worked for the answer, and what they took of it. */
  readonly parts?: readonly Part[]
  /** It was said in the conversation that this one is a fork of. */
  readonly copy?: true
  /** Who answered, with which model, though it is paid for elsewhere. */
  readonly model?: string
  readonly problem?: string
}

/** A row as a message; nothing for one that says nothing. */
export function messageOf(doc: SQLOutputValue, { session, running, first, state }: Of): Told {
  if (typeof doc === 'bigint') return { problem: 'is too long to be read' }
  const row = parsed(columnText(doc))
  if (!isFields(row)) return { problem: 'is not a JSON object' }
  const { role } = row
  if (role !== 'user' && role !== 'assistant') return { problem: 'has a role that is not known' }
  const id = textOf(row.id) ?? ''
  if (id.startsWith(`${session}-`)) return { copy: true }
  if (role === 'assistant' && running !== null && row.run_id === running) return {}
  const isOurs = row.runtime === OURS || row.is_counted_here === true
  const parts = partsOf(row.attachments, isOurs)
  const usage = isOurs ? usageOf(row.usage) : null
  const cost = isOurs ? countOf(row.cost_micro_usd) : null
  const content = contentOf(row)
  if (content.length === 0 && usage === null && cost === null && parts.length === 0) return {}
  const model = role === 'assistant' ? textOf(row.model) : null
  const own = withoutParts({ usage, cost_micro_usd: cost }, parts)
  const message: Message = {
    id,
    session_id: session,
    agent_id: MAIN,
    role,
    ts: timeOf(row.ts),
    model: isOurs ? model : null,
    content,
    ...own,
    state,
    hidden: false,
    ...(role === 'assistant' && {
      runtime: row.runtime,
      status: row.status,
      worker: workerOf(textOf(row.runtime), first, model),
    }),
  }
  return { message, parts, ...(model !== null && { model }) }
}

/** All that was said is one thread, but each runtime did its own work in it. */
const workerOf = (runtime: string | null, first: string | null, model: string | null): Worker | undefined =>
  runtime === null
    ? undefined
    : { agent_id: first === null || runtime === first ? MAIN : runtime, subagent_type: runtime, model }

/** The calls that led to an answer come before it. */
function contentOf(row: Fields): ContentBlock[] {
  const text = textOf(row.content)
  return [
    ...listOf(row.attachments).flatMap((each) => callsOf(fieldsOf(each), textOf(row.id) ?? '')),
    ...(text === null ? [] : [{ type: 'text' as const, text }]),
    ...listOf(row.files).flatMap((file) => fileOf(fieldsOf(file))),
  ]
}

function callsOf({ kind, data }: Fields, of: string): readonly ContentBlock[] {
  if (kind !== 'tools') return []
  return listOf(data).flatMap((each, at): ContentBlock[] => {
    const { name, input, output, ok } = fieldsOf(each)
    const tool = textOf(name)
    if (tool === null) return []
    const id = `${of}:${at}`
    const call: ContentBlock = { type: 'tool_call', id, tool, input: input ?? null }
    if (output === undefined && ok === undefined) return [call]
    const text = typeof output === 'string' ? output : output === undefined ? '' : JSON.stringify(output)
    const known = typeof ok === 'boolean' ? ok : null
    return [call, { type: 'tool_result', id, ok: known, text, duration_ms: null }]
  })
}

function fileOf({ name, media_type }: Fields): readonly ContentBlock[] {
  const type = textOf(media_type)
  if (type?.startsWith('image/')) return [{ type: 'image', media_type: type, data: null }]
  const text = textOf(name)
  return text === null ? [] : [{ type: 'text', text }]
}

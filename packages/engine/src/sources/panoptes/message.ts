import type { SQLOutputValue } from 'node:sqlite'
import type { ContentBlock, Message, SessionAgent, TokenUsage } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { columnText } from '../database/text.ts'
import { type Fields, toCount, toFields, toList, toText, toTime } from '../fields.ts'
import { objectProblem, parsed } from '../json.ts'
import type { Worker } from '../port.ts'
import { toUsage } from './usage.ts'

export const MAIN = 'main'

/**
 * The runtime whose cost is counted here. The usage of others is counted by their own sources, unless an
 * answer says otherwise.
 */
const OURS = 'jarvis'

export interface Of {
  readonly session: string
  /** The active run. Its answer is reported when it ends. */
  readonly running: string | null
  /** The runtime that answered first, which is the session's own agent. */
  readonly first: string | null
  readonly state: Message['state']
}

export interface RowResult {
  readonly message?: Message
  /** Agents that worked on the answer, with their share of the usage. */
  readonly parts?: readonly Part[]
  /** True for a message copied from the conversation that this one forked. */
  readonly copy?: true
  /** The model that answered, although its cost is counted elsewhere. */
  readonly model?: string
  readonly problem?: string
}

/** Converts a row to a message. Undefined for one without content. */
export function toMessage(doc: SQLOutputValue, { session, running, first, state }: Of): RowResult {
  if (typeof doc === 'bigint') return { problem: 'is too long to read' }
  const text = columnText(doc)
  const row = parsed(text)
  if (!isPlainObject(row)) return { problem: objectProblem(text) }
  const { role } = row
  if (role !== 'user' && role !== 'assistant') return { problem: 'has an unknown role' }
  const id = toText(row.id) ?? ''
  if (id.startsWith(`${session}-`)) return { copy: true }
  if (role === 'assistant' && running !== null && row.run_id === running) return {}
  const isOurs = row.runtime === OURS || row.is_counted_here === true
  const parts = parseParts(row.attachments, isOurs)
  const usage = isOurs ? toUsage(row.usage) : null
  const cost = isOurs ? toCount(row.cost_micro_usd) : null
  const content = rowContent(row)
  if (content.length === 0 && usage === null && cost === null && parts.length === 0) return {}
  const model = role === 'assistant' ? toText(row.model) : null
  const own = withoutParts({ usage, cost_micro_usd: cost }, parts)
  const message: Message = {
    id,
    session_id: session,
    agent_id: MAIN,
    role,
    ts: toTime(row.ts),
    model: isOurs ? model : null,
    content,
    ...own,
    state,
    hidden: false,
    ...(role === 'assistant' && {
      runtime: row.runtime,
      status: row.status,
      worker: toWorker(toText(row.runtime), first, model),
    }),
  }
  return { message, parts, ...(model !== null && { model }) }
}

/** All messages form one thread, but each runtime did its own part of the work. */
const toWorker = (runtime: string | null, first: string | null, model: string | null): Worker | undefined =>
  runtime === null
    ? undefined
    : { agent_id: first === null || runtime === first ? MAIN : runtime, subagent_type: runtime, model }

/** The calls that led to an answer precede it. */
function rowContent(row: Fields): ContentBlock[] {
  const text = toText(row.content)
  return [
    ...toList(row.attachments).flatMap((each) => toCalls(toFields(each), toText(row.id) ?? '')),
    ...(text === null ? [] : [{ type: 'text' as const, text }]),
    ...toList(row.files).flatMap((file) => fileBlocks(toFields(file))),
  ]
}

function toCalls({ kind, data }: Fields, of: string): readonly ContentBlock[] {
  if (kind !== 'tools') return []
  return toList(data).flatMap((each, at): ContentBlock[] => {
    const { name, input, output, ok } = toFields(each)
    const tool = toText(name)
    if (tool === null) return []
    const id = `${of}:${at}`
    const call: ContentBlock = { type: 'tool_call', id, tool, input: input ?? null }
    if (output === undefined && ok === undefined) return [call]
    const text = typeof output === 'string' ? output : output === undefined ? '' : JSON.stringify(output)
    const outcome = typeof ok === 'boolean' ? ok : null
    return [call, { type: 'tool_result', id, ok: outcome, text, duration_ms: null }]
  })
}

function fileBlocks({ name, media_type }: Fields): readonly ContentBlock[] {
  const type = toText(media_type)
  if (type?.startsWith('image/')) return [{ type: 'image', media_type: type, data: null }]
  const text = toText(name)
  return text === null ? [] : [{ type: 'text', text }]
}

interface Spent {
  readonly usage: TokenUsage | null
  readonly cost_micro_usd: number | null
}

/** An agent that worked on an answer: a reference, or a branch of its plan. */
interface Part extends Spent {
  readonly agent: SessionAgent
  readonly model: string | null
  readonly text: string | null
}

/**
 * Reads agents from the attachments of an answer. Their usage is known only for the runtime whose cost is
 * counted here.
 */
const parseParts = (attachments: unknown, isOurs: boolean): readonly Part[] =>
  toList(attachments).flatMap((each) => {
    const { kind, data } = toFields(each)
    return kind === 'agents' ? toList(data).flatMap((one) => parsePart(one, isOurs)) : []
  })

function parsePart(value: unknown, isOurs: boolean): readonly Part[] {
  const fields = toFields(value)
  const id = toText(fields.id)
  if (id === null) return []
  return [
    {
      agent: {
        id,
        parent_id: toText(fields.parent_id) ?? 'main',
        subagent_type: toText(fields.subagent_type),
        description: toText(fields.description),
        tool_use_id: null,
      },
      model: isOurs ? toText(fields.model) : null,
      text: toText(fields.text),
      usage: isOurs ? toUsage(fields.usage) : null,
      cost_micro_usd: isOurs ? toCount(fields.cost_micro_usd) : null,
    },
  ]
}

const COUNTS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const

/** Returns the usage of an answer without the share of its agents. */
function withoutParts(whole: Spent, parts: readonly Part[]): Spent {
  const less = (count: number | null, taken: readonly (number | null)[]): number | null =>
    count === null ? null : Math.max(0, count - taken.reduce<number>((sum, each) => sum + (each ?? 0), 0))
  const { usage } = whole
  const counts = COUNTS.map((name) => [
    name,
    less(
      usage?.[name] ?? null,
      parts.map((part) => part.usage?.[name] ?? null),
    ),
  ])
  return {
    usage: usage && { ...usage, ...Object.fromEntries(counts) },
    cost_micro_usd: less(
      whole.cost_micro_usd,
      parts.map((part) => part.cost_micro_usd),
    ),
  }
}

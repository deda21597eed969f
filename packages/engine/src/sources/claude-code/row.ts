import type { Message, TokenUsage } from '@panoptes/schema'
import { countOf, type Fields, fieldsOf, textOf, timeOf } from '../fields.ts'
import { blocksOf } from './blocks.ts'

/** A model of this name is the client itself: an error it shows in the model's place. */
const SYNTHETIC = '<synthetic>'

/** A row of a transcript as a message; nothing for rows that say something else. */
export function messageOf(row: Fields, session: string, agent: string): Message | undefined {
  const role = roleOf(row)
  if (role === undefined) return undefined
  const inner = fieldsOf(row.message)
  const model = textOf(inner.model)
  const content = contentOf(row)
  if (content.length === 0) return undefined
  return {
    id: (role === 'assistant' ? textOf(inner.id) : null) ?? textOf(row.uuid) ?? '',
    session_id: session,
    agent_id: agent,
    role,
    ts: timeOf(row.timestamp),
    model: model === SYNTHETIC ? null : model,
    content,
    usage: model === SYNTHETIC ? null : usageOf(inner.usage),
    state: row.isCompactSummary === true ? 'summary' : 'active',
    hidden: row.isMeta === true || row.isVisibleInTranscriptOnly === true || isNotice(row),
  }
}

function roleOf(row: Fields): Message['role'] | undefined {
  if (row.type === 'assistant') return 'assistant'
  if (row.type === 'system') return 'system'
  if (queuedIn(row) !== undefined) return 'user'
  if (row.type !== 'user') return undefined
  const { content } = fieldsOf(row.message)
  const isResult = Array.isArray(content) && content.some((block) => fieldsOf(block).type === 'tool_result')
  return isResult ? 'tool' : 'user'
}

function contentOf(row: Fields): Message['content'] {
  const queued = queuedIn(row)
  if (queued !== undefined) return [...blocksOf({ message: { content: queued.prompt } })]
  if (row.type !== 'system') return [...blocksOf(row)]
  const text = textOf(row.content)
  return text === null ? [] : [{ type: 'text', text }]
}

/** What was asked while the agent worked, and handed to it in between. */
function queuedIn(row: Fields): Fields | undefined {
  const attachment = row.type === 'attachment' ? fieldsOf(row.attachment) : {}
  return attachment.type === 'queued_command' ? attachment : undefined
}

/** The client queues notices of its own, too. */
const isNotice = (row: Fields): boolean => queuedIn(row)?.commandMode === 'task-notification'

/** Input is what was neither read from nor written to the cache. */
function usageOf(value: unknown): TokenUsage | null {
  const usage = fieldsOf(value)
  const details = fieldsOf(usage.output_tokens_details)
  const counted = {
    input: countOf(usage.input_tokens),
    output: countOf(usage.output_tokens),
    cache_read: countOf(usage.cache_read_input_tokens),
    cache_write: countOf(usage.cache_creation_input_tokens),
    cache_write_1h: countOf(fieldsOf(usage.cache_creation).ephemeral_1h_input_tokens),
    reasoning: countOf(details.thinking_tokens ?? details.reasoning_tokens),
  }
  return Object.values(counted).every((count) => count === null) ? null : counted
}

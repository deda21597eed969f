import type { ContentBlock, Message, TokenUsage } from '@panoptes/schema'
import { type Fields, toCount, toFields, toList, toText, toTime } from '../fields.ts'
import { isDenied } from './results.ts'

/** The model name of messages by the client itself: errors shown in place of a reply. */
const SYNTHETIC = '<synthetic>'

/** True when the client itself wrote the message in place of a model. */
export const isSynthetic = (row: Fields): boolean => toFields(row.message).model === SYNTHETIC

/** Converts a transcript row to a message. Undefined for rows that are not messages. */
export function toMessage(row: Fields, session: string, agent: string): Message | undefined {
  const role = rowRole(row)
  if (role === undefined) return undefined
  const inner = toFields(row.message)
  const model = toText(inner.model)
  const content = rowContent(row)
  if (content.length === 0) return undefined
  return {
    id: (role === 'assistant' ? toText(inner.id) : null) ?? toText(row.uuid) ?? '',
    session_id: session,
    agent_id: agent,
    role,
    ts: toTime(row.timestamp),
    model: model === SYNTHETIC ? null : model,
    content,
    usage: model === SYNTHETIC ? null : toUsage(inner.usage),
    state: row.isCompactSummary === true ? 'summary' : 'active',
    hidden: row.isMeta === true || row.isVisibleInTranscriptOnly === true || isNotice(row),
  }
}

function rowRole(row: Fields): Message['role'] | undefined {
  if (row.type === 'assistant') return 'assistant'
  if (row.type === 'system') return 'system'
  if (queuedIn(row) !== undefined) return 'user'
  if (row.type !== 'user') return undefined
  const { content } = toFields(row.message)
  const isResult = Array.isArray(content) && content.some((block) => toFields(block).type === 'tool_result')
  return isResult ? 'tool' : 'user'
}

function rowContent(row: Fields): Message['content'] {
  const queued = queuedIn(row)
  if (queued !== undefined) return [...toBlocks({ message: { content: queued.prompt } })]
  if (row.type !== 'system') return [...toBlocks(row)]
  const text = toText(row.content)
  return text === null ? [] : [{ type: 'text', text }]
}

/** Returns a prompt that was queued while the agent worked and delivered in between. */
function queuedIn(row: Fields): Fields | undefined {
  const attachment = row.type === 'attachment' ? toFields(row.attachment) : {}
  return attachment.type === 'queued_command' ? attachment : undefined
}

/** True when the client speaks to the agent on behalf of a person, for background reports and reminders. */
function isNotice(row: Fields): boolean {
  const queued = queuedIn(row)
  if (queued !== undefined) return queued.commandMode === 'task-notification' || queued.isMeta === true
  if (row.type !== 'user') return false
  return toFields(row.origin).kind === 'task-notification' || NOTICE.test(textIn(row))
}

/** Returns the first text of a row. */
export function textIn(row: Fields): string {
  const { content } = toFields(row.message)
  return (typeof content === 'string' ? content : toText(toFields(toList(content)[0]).text)) ?? ''
}

const NOTICE = /^\s*<(?:task-notification|system-reminder)>/

/** Converts usage. Input excludes tokens read from or written to the cache. */
function toUsage(value: unknown): TokenUsage | null {
  const usage = toFields(value)
  const details = toFields(usage.output_tokens_details)
  const counted = {
    input: toCount(usage.input_tokens),
    output: toCount(usage.output_tokens),
    cache_read: toCount(usage.cache_read_input_tokens),
    cache_write: toCount(usage.cache_creation_input_tokens),
    cache_write_1h: toCount(toFields(usage.cache_creation).ephemeral_1h_input_tokens),
    reasoning: toCount(details.thinking_tokens ?? details.reasoning_tokens),
  }
  return Object.values(counted).every((count) => count === null) ? null : counted
}

/** Converts the content of a row. Unknown parts are kept as text, never dropped. */
export function toBlocks(row: Fields): readonly ContentBlock[] {
  const { content } = toFields(row.message)
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return toList(content).flatMap((block) => toBlock(toFields(block), row))
}

function toBlock(block: Fields, row: Fields): readonly ContentBlock[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: String(block.text ?? '') }]
    case 'thinking':
      return [{ type: 'reasoning', text: String(block.thinking ?? '') }]
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '' }]
    case 'image':
      return [toImage(block)]
    case 'tool_use':
    case 'server_tool_use':
      return [
        {
          type: 'tool_call',
          id: String(block.id ?? ''),
          tool: toText(block.name) ?? 'unknown',
          input: block.input ?? null,
        },
      ]
    case 'tool_result':
      return toResult(block, row)
    default:
      return [{ type: 'text', text: JSON.stringify(block) }]
  }
}

function toImage(block: Fields): ContentBlock {
  const source = toFields(block.source)
  return { type: 'image', media_type: toText(source.media_type), data: toText(source.data) }
}

/** Images of a result follow it as blocks, because a result itself has only text. */
function toResult(block: Fields, row: Fields): readonly ContentBlock[] {
  const parts = typeof block.content === 'string' ? [] : toList(block.content).map(toFields)
  const texts = parts.filter((part) => part.type !== 'image').map((part) => toText(part.text) ?? '')
  const text =
    typeof block.content === 'string' ? block.content : texts.filter((each) => each !== '').join('\n')
  const { durationMs, totalDurationMs } = toFields(row.toolUseResult)
  const duration = [durationMs, totalDurationMs].find((value) => typeof value === 'number') as
    | number
    | undefined
  return [
    {
      type: 'tool_result',
      id: String(block.tool_use_id ?? ''),
      ok: block.is_error !== true ? true : isDenied(row, text) ? null : false,
      text,
      duration_ms: duration === undefined ? null : Math.round(duration),
    },
    ...parts.filter((part) => part.type === 'image').map(toImage),
  ]
}

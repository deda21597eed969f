import type { SQLOutputValue } from 'node:sqlite'
import type { ContentBlock, Message } from '@panoptes/schema'
import { columnText } from '../database/text.ts'
import { type Fields, toFields, toList, toText, toTime } from '../fields.ts'
import { imageBlock } from '../image-block.ts'
import { parsed } from '../json.ts'
import { parseCalls } from './calls.ts'
import { isHermesNotice } from './notice.ts'
import { hermesToolSucceeded } from './outcome.ts'

/** A row of `messages`, in the column order of the statement. */
export type Row = readonly [
  id: bigint,
  role: SQLOutputValue,
  content: SQLOutputValue,
  callId: SQLOutputValue,
  calls: SQLOutputValue,
  toolName: SQLOutputValue,
  timestamp: number | null,
  state: Message['state'],
  hidden: bigint,
  reasoningContent: SQLOutputValue,
  reasoning: SQLOutputValue,
  reasoningDetails: SQLOutputValue,
  codexReasoning: SQLOutputValue,
  codexMessage: SQLOutputValue,
]

const ROLES: Readonly<Record<string, Message['role']>> = {
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  system: 'system',
  session_meta: 'system',
}

export const MAIN = 'main'

export interface RowResult {
  readonly message?: Message
  /** Why part of the row could not be read. */
  readonly problem?: string
}

/** Converts a row to a message. Undefined for a row without content. */
export function toMessage(row: Row, session: string, model: string | null): RowResult {
  const [id, roleName, content, , calls, toolName, timestamp, state, hidden] = row
  const role = ROLES[String(roleName)]
  if (role === undefined) return { problem: 'has an unknown role' }
  if (row.some(isTooLong)) return { problem: 'is too long to read' }
  const called = role === 'assistant' ? parseCalls(columnText(calls)) : []
  const problem =
    called === undefined ? { problem: 'has tool calls that are not JSON, or are nested too deep' } : {}
  const text = columnText(content)
  const blocks = role === 'tool' ? toResult(row, text) : [...spoken(row, role, text), ...(called ?? [])]
  if (blocks.length === 0) return problem
  const tool = columnText(toolName)
  const message: Message = {
    id: String(id),
    session_id: session,
    agent_id: MAIN,
    role,
    ts: timestamp === null ? null : toTime(timestamp * 1_000),
    model: role === 'assistant' ? model : null,
    content: blocks,
    usage: null,
    state,
    hidden: hidden === 1n || roleName === 'session_meta' || (role === 'user' && isHermesNotice(text ?? '')),
    // Older rows name a tool without a call.
    ...(tool === null ? {} : { tool_name: tool }),
  }
  return { message, ...problem }
}

/** The statement returns the length in place of a text that is too long. */
const isTooLong = (value: unknown, at: number): boolean =>
  typeof value === 'bigint' && (at === 2 || at === 4 || at > 8)

function spoken(row: Row, role: Message['role'], text: string | null): readonly ContentBlock[] {
  const blocks = parseContent(text)
  if (role !== 'assistant') return blocks
  const [, , , , , , , , , reasoningContent, reasoning, details, codexReasoning, codexMessage] = row
  const thought =
    columnText(reasoningContent) ??
    columnText(reasoning) ??
    itemTexts(columnText(details)) ??
    itemTexts(columnText(codexReasoning))
  const answer = blocks.length > 0 ? null : itemTexts(columnText(codexMessage))
  return [
    ...(thought === null ? [] : [{ type: 'reasoning' as const, text: thought }]),
    ...(answer === null ? blocks : [{ type: 'text' as const, text: answer }]),
  ]
}

/** Images of a result follow it as blocks, because a result itself has only text. */
function toResult(row: Row, text: string | null): ContentBlock[] {
  const parts = parseContent(text)
  const texts = parts.map((part) => (part.type === 'text' ? part.text : '')).filter((each) => each !== '')
  const whole = texts.length === 1 ? (texts[0] ?? '') : texts.join('\n')
  return [
    {
      type: 'tool_result',
      id: columnText(row[3]) ?? '',
      ok: hermesToolSucceeded(whole),
      text: whole,
      duration_ms: null,
    },
    ...parts.filter((part) => part.type === 'image'),
  ]
}

const NUL = 0
const SOH = 1
const STRUCTURED = 'json:'

/**
 * Parses content: plain text, or JSON behind a control character. Unknown parts are kept as text, never
 * dropped.
 */
function parseContent(text: string | null): readonly ContentBlock[] {
  if (text === null) return []
  const first = text.charCodeAt(0)
  if ((first !== NUL && first !== SOH) || !text.startsWith(STRUCTURED, 1)) return [{ type: 'text', text }]
  const json = text.slice(1 + STRUCTURED.length)
  const value = parsed(json)
  if (value === undefined) return [{ type: 'text', text: json }]
  const parts = Array.isArray(value) ? value : [value]
  return parts.flatMap((part) => toBlocks(part))
}

function toBlocks(part: unknown): readonly ContentBlock[] {
  if (typeof part === 'string') return part === '' ? [] : [{ type: 'text', text: part }]
  const fields = toFields(part)
  switch (fields.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return [{ type: 'text', text: String(fields.text ?? '') }]
    case 'image_url':
    case 'input_image':
      return [imageBlock(toText(toFields(fields.image_url).url) ?? toText(fields.image_url))]
    case 'image':
      return [toImage(toFields(fields.source))]
    default:
      return [{ type: 'text', text: JSON.stringify(part) ?? '' }]
  }
}

const toImage = (source: Fields): ContentBlock =>
  source.type === 'url'
    ? imageBlock(toText(source.url))
    : { type: 'image', media_type: toText(source.media_type), data: toText(source.data) }

/** Returns the texts of a model's native items: the answer, or summaries of its reasoning. */
function itemTexts(json: string | null): string | null {
  const texts = toList(parsed(json)).flatMap((item) => itemParts(toFields(item)))
  return texts.length === 0 ? null : texts.join('\n')
}

function itemParts(item: Fields): readonly string[] {
  const own = [item.text, item.summary, item.content].filter((value) => typeof value === 'string')
  const parts = [...toList(item.summary), ...toList(item.content)].map((part) => toText(toFields(part).text))
  return [...own, ...parts].filter((text): text is string => text !== null && text !== '')
}

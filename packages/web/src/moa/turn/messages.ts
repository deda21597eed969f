import type { TraceRecord } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'

/** One message of the aggregator's input, ready to show. */
export interface InputMessage {
  readonly at: number
  readonly role: string
  readonly text: string
  readonly chars: number
  /** Tool calls, images and other content that is not text. */
  readonly besides: readonly string[]
  /** Where the guidance starts in the text; null if the message contains none. */
  readonly guidanceFrom: number | null
}

/** Every block of guidance begins with this text. */
const MARK = '[Mixture of Agents, preset '

type Aggregator = TraceRecord['aggregator']

/** Lists the aggregator's input messages and marks the guidance. */
export function toMessages({ input_messages, guidance }: Aggregator): readonly InputMessage[] {
  const messages = input_messages ?? []
  const last = messages.length - 1
  return messages.map((message, at): InputMessage => {
    const { role, text, besides } = parseMessage(message)
    return {
      at,
      role,
      text,
      chars: besides.reduce((sum, one) => sum + one.length, text.length),
      besides,
      guidanceFrom: at === last && guidance != null ? findGuidance(text, guidance) : null,
    }
  })
}

function findGuidance(text: string, how: 'message' | 'merged'): number | null {
  if (how === 'message') return 0
  const at = text.lastIndexOf(MARK)
  return at < 0 ? null : at
}

function parseMessage(message: unknown): { role: string; text: string; besides: readonly string[] } {
  if (!isPlainObject(message)) return { role: '?', text: toJson(message), besides: [] }
  const { role, content, tool_calls: calls } = message
  const parts = Array.isArray(content) ? content : content == null ? [] : [content]
  const texts: string[] = []
  const besides: string[] = []
  for (const part of parts) {
    if (typeof part === 'string') texts.push(part)
    else if (isPlainObject(part) && typeof part.text === 'string') texts.push(part.text)
    else besides.push(isPlainObject(part) && typeof part.type === 'string' ? part.type : 'part')
  }
  for (const call of Array.isArray(calls) ? calls : []) besides.push(parseToolCall(call).line)
  return { role: typeof role === 'string' ? role : '?', text: texts.join('\n\n'), besides }
}

export interface ToolCall {
  readonly name: string
  readonly input: string
  readonly line: string
}

/** Reads a tool call in either of the two wire formats. */
export function parseToolCall(call: unknown): ToolCall {
  const fields = isPlainObject(call) ? call : {}
  const made = isPlainObject(fields.function) ? fields.function : fields
  const name = typeof made.name === 'string' ? made.name : '?'
  const args = made.arguments ?? made.input
  const input = args === undefined ? '' : typeof args === 'string' ? args : toJson(args)
  return { name, input, line: `${name} ${input}`.trim() }
}

const toJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

/** Counts the characters that two requests share at their beginning. */
export function sharedPrefix(a: Aggregator, b: Aggregator): number | null {
  if (a.input_messages === null || b.input_messages === null) return null
  const [before, now] = [JSON.stringify(a.input_messages), JSON.stringify(b.input_messages)]
  const most = Math.min(before.length, now.length)
  let at = 0
  while (at < most && before[at] === now[at]) at += 1
  return at
}

/** The index of the record with the final answer. */
export const answerIndex = (records: readonly TraceRecord[]): number =>
  records.findLastIndex(({ aggregator }) => aggregator.output !== null)

/** The index of the record with the reference outputs for a call: the newest fan-out up to it. */
export const adviceIndex = (records: readonly TraceRecord[], at: number): number =>
  records.slice(0, at + 1).findLastIndex(({ references }) => references.length > 0)

import type { TraceRecord } from '@panoptes/schema'

/** One message that the acting model was sent, as it is shown. */
export interface Shown {
  readonly at: number
  readonly role: string
  readonly text: string
  readonly chars: number
  /** Tools it calls, pictures, whatever is no text. */
  readonly besides: readonly string[]
  /** Whether it is the advice, or has it at its end from this character on. */
  readonly guidanceFrom: number | null
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What every block of advice begins with. */
const MARK = '[Mixture of Agents, preset '

type Aggregator = TraceRecord['aggregator']

/** What the acting model was sent, message by message, with the advice marked. */
export function messagesOf({ input_messages, guidance }: Aggregator): readonly Shown[] {
  const messages = input_messages ?? []
  const last = messages.length - 1
  return messages.map((message, at): Shown => {
    const { role, text, besides } = partsOf(message)
    return {
      at,
      role,
      text,
      chars: besides.reduce((sum, one) => sum + one.length, text.length),
      besides,
      guidanceFrom: at === last && guidance != null ? guidanceIn(text, guidance) : null,
    }
  })
}

function guidanceIn(text: string, how: 'message' | 'merged'): number | null {
  if (how === 'message') return 0
  const at = text.lastIndexOf(MARK)
  return at < 0 ? null : at
}

function partsOf(message: unknown): { role: string; text: string; besides: readonly string[] } {
  if (!isFields(message)) return { role: '?', text: jsonOf(message), besides: [] }
  const { role, content, tool_calls: calls } = message
  const parts = Array.isArray(content) ? content : content == null ? [] : [content]
  const texts: string[] = []
  const besides: string[] = []
  for (const part of parts) {
    if (typeof part === 'string') texts.push(part)
    else if (isFields(part) && typeof part.text === 'string') texts.push(part.text)
    else besides.push(isFields(part) && typeof part.type === 'string' ? part.type : 'part')
  }
  for (const call of Array.isArray(calls) ? calls : []) besides.push(callOf(call).line)
  return { role: typeof role === 'string' ? role : '?', text: texts.join('\n\n'), besides }
}

export interface ToolCall {
  readonly name: string
  readonly input: string
  readonly line: string
}

/** A tool that a model wants called, in either of the shapes that they come in. */
export function callOf(call: unknown): ToolCall {
  const fields = isFields(call) ? call : {}
  const made = isFields(fields.function) ? fields.function : fields
  const name = typeof made.name === 'string' ? made.name : '?'
  const given = made.arguments ?? made.input
  const input = given === undefined ? '' : typeof given === 'string' ? given : jsonOf(given)
  return { name, input, line: `${name} ${input}`.trim() }
}

const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

/** How many characters two requests begin with alike, as they were sent. */
export function sharedPrefix(a: Aggregator, b: Aggregator): number | null {
  if (a.input_messages === null || b.input_messages === null) return null
  const [before, now] = [JSON.stringify(a.input_messages), JSON.stringify(b.input_messages)]
  const most = Math.min(before.length, now.length)
  let at = 0
  while (at < most && before[at] === now[at]) at += 1
  return at
}

/** The record whose answer the turn ended with. */
export const answerAt = (records: readonly TraceRecord[]): number =>
  records.findLastIndex(({ aggregator }) => aggregator.output !== null)

/** The record with what the references said, as of a call: the newest fan-out up to it. */
export const advisedAt = (records: readonly TraceRecord[], at: number): number =>
  records.slice(0, at + 1).findLastIndex(({ references }) => references.length > 0)

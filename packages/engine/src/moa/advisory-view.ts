import type { ChatMessage, ModelError } from '@panoptes/engine/models'

/** What a reference sees of a conversation: text only, always with a user turn at the end. */
export interface AdvisoryView {
  readonly messages: readonly ViewMessage[]
  /** Number of messages up to and including the last user turn. */
  readonly asked: number
}

export interface ViewMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

const IMAGE_ONLY = '[The person sent an image without text. You cannot see it.]'
const JUDGE =
  'The acting model is in the middle of this work. Judge the state above: say what you would do next, and what could go wrong.'

export function advisoryView(messages: readonly ChatMessage[], toolResultBudget: number): AdvisoryView {
  const view: { role: ViewMessage['role']; content: string }[] = []
  const fold = (line: string) => {
    const last = view.at(-1)
    if (last?.role === 'assistant') last.content = last.content === '' ? line : `${last.content}\n${line}`
    else view.push({ role: 'assistant', content: line })
  }
  for (const message of messages) {
    const { role, content } = message
    if (role === 'user') {
      const text = extractText(content)
      if (text.trim() !== '') view.push({ role, content: text })
      else if (hasImage(content)) view.push({ role, content: IMAGE_ONLY })
    } else if (role === 'assistant') {
      const lines = [extractText(content), ...formatCalls(message)].filter((line) => line.trim() !== '')
      if (lines.length > 0) view.push({ role, content: lines.join('\n') })
    } else if (role === 'tool')
      fold(`[tool result: ${truncateMiddle(extractText(content), toolResultBudget)}]`)
  }
  const asked = view.findLastIndex(({ role }) => role === 'user') + 1
  if (view.at(-1)?.role !== 'user') view.push({ role: 'user', content: JUDGE })
  return { messages: view, asked }
}

/**
 * Returns the text of a message. It is the same for a plain string and for parts with cache marks.
 */
function extractText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) => (typeof part === 'string' ? part : typeof part?.text === 'string' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n')
}

const hasImage = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.some((part) => typeof part?.type === 'string' && part.type.includes('image'))

/** Arguments are never cut, because advice is about what the agent did. */
function formatCalls({ tool_calls: made }: ChatMessage): string[] {
  if (!Array.isArray(made)) return []
  return made.map((one) => {
    const call = one?.function ?? one?.custom
    const args = call?.arguments ?? call?.input ?? {}
    return `[called tool: ${call?.name ?? 'unknown'}(${typeof args === 'string' ? args : JSON.stringify(args)})]`
  })
}

/** Keeps the first and the last half of a text and states how much is missing between them. */
function truncateMiddle(text: string, budget: number): string {
  if (text.length <= budget) return text
  const half = Math.floor(budget / 2)
  const head = text.slice(0, isHighSurrogate(text, half - 1) ? half - 1 : half)
  const from = text.length - half
  const tail = text.slice(isHighSurrogate(text, from - 1) ? from + 1 : from)
  return `${head}\n… ${text.length - head.length - tail.length} characters left out …\n${tail}`
}

const isHighSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff
}

const RESERVE = 8_192
const SHARE = 0.9
const CHARS = 4
const LEAST = 2
const SHORTEST = 1_000

/**
 * Returns the newest messages that fit into a context window of this many tokens. The result begins
 * with a user turn, and the last two messages always stay. If the cut falls inside an answer, its
 * question is put in front, shortened if necessary.
 */
export function trimToWindow(
  messages: readonly ViewMessage[],
  window: number | null,
  systemChars: number,
): readonly ViewMessage[] {
  if (window === null) return messages
  const room = (Math.floor(window * SHARE) - RESERVE) * CHARS - systemChars
  const from = findFirstFitting(messages, room)
  if (from === 0) return messages
  const first = messages.findIndex(({ role }, at) => at >= from && role === 'user')
  if (first >= 0 && first <= messages.length - LEAST) return messages.slice(first)
  const asked = messages.findLast(({ role }, at) => at < from && role === 'user')
  if (asked === undefined) return messages.slice(from)
  const last = messages.slice(-LEAST).reduce((sum, { content }) => sum + content.length, 0)
  const question: ViewMessage = {
    ...asked,
    content: truncateMiddle(asked.content, Math.max(room - last, SHORTEST)),
  }
  return [question, ...messages.slice(findFirstFitting(messages, room - question.content.length))]
}

/** Returns the index of the oldest of the newest messages that fit. */
function findFirstFitting(messages: readonly ViewMessage[], room: number): number {
  let left = room
  let from = messages.length
  while (from > 0) {
    left -= messages[from - 1]?.content.length ?? 0
    if (left < 0 && messages.length - from >= LEAST) break
    from -= 1
  }
  return from
}

/**
 * Some servers reject two turns of the same role in a row as a bad request; others fail with a
 * server error that explains it.
 */
export const mayWantAlternation = ({ class: kind, status, message }: ModelError): boolean =>
  (status === 400 && kind === 'invalid') || (status !== null && status >= 400 && /alternat/i.test(message))

const BEGUN = '[The part of the conversation that you can see begins here.]'

/**
 * Merges consecutive messages of one role into one and puts a user message first. Returns undefined
 * if the messages already alternate.
 */
export function toAlternatingTurns(messages: readonly ChatMessage[]): readonly ChatMessage[] | undefined {
  const turns: ChatMessage[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    const isFirst = message.role === 'assistant' && (last === undefined || last.role === 'system')
    if (isFirst) turns.push({ role: 'user', content: BEGUN })
    if (last !== undefined && last.role === message.role)
      turns[turns.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` }
    else turns.push(message)
  }
  const isSame = turns.length === messages.length && turns.every((turn, at) => turn === messages[at])
  return isSame ? undefined : turns
}

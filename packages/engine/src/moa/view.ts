import type { ChatMessage } from '@panoptes/engine/models'

/** What a reference is shown of a conversation: words alone, and always with a person's turn at its end. */
export interface AdvisoryView {
  readonly messages: readonly ViewMessage[]
  /** How many of them there are up to the last that a person said. */
  readonly asked: number
}

export interface ViewMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

const IMAGE_ONLY = '[The person sent an image without words. It is not shown to you.]'
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
      const text = flat(content)
      if (text !== '') view.push({ role, content: text })
      else if (hasImage(content)) view.push({ role, content: IMAGE_ONLY })
    } else if (role === 'assistant') {
      const lines = [flat(content), ...calls(message)].filter((line) => line !== '')
      if (lines.length > 0) view.push({ role, content: lines.join('\n') })
    } else if (role === 'tool') fold(`[tool result: ${within(flat(content), toolResultBudget)}]`)
  }
  const asked = view.findLastIndex(({ role }) => role === 'user') + 1
  if (view.at(-1)?.role !== 'user') view.push({ role: 'user', content: JUDGE })
  return { messages: view, asked }
}

/** The words of a message, the same whether it is plain or in parts with marks for a cache. */
function flat(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) => (typeof part === 'string' ? part : typeof part?.text === 'string' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n')
}

const hasImage = (content: unknown): boolean =>
  Array.isArray(content) && content.some((part) => /image/.test(String(part?.type)))

/** Arguments stand in full: what was done is what advice is about. */
function calls({ tool_calls: made }: ChatMessage): string[] {
  if (!Array.isArray(made)) return []
  return made.map(({ function: call }) => {
    const given = typeof call?.arguments === 'string' ? call.arguments : JSON.stringify(call?.arguments ?? {})
    return `[called tool: ${call?.name ?? 'unknown'}(${given})]`
  })
}

/** The first and the last half, with how much is missing between them. */
function within(text: string, budget: number): string {
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

/** The newest of it that a window of so many tokens holds, with a person's turn first; the last two always stay. */
export function trimmed(
  messages: readonly ViewMessage[],
  window: number | null,
  systemChars: number,
): readonly ViewMessage[] {
  if (window === null) return messages
  let room = (Math.floor(window * SHARE) - RESERVE) * CHARS - systemChars
  let from = messages.length
  while (from > 0) {
    const size = messages[from - 1]?.content.length ?? 0
    if (size > room && messages.length - from >= 2) break
    room -= size
    from -= 1
  }
  while (from < messages.length - 1 && messages[from]?.role !== 'user') from += 1
  return messages.slice(from)
}

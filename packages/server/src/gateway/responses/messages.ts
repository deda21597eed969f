import type { ChatRequest } from '../request.ts'
import { chatContent, imagesIn, wordsOf } from './content.ts'
import type { ResponsesRequest } from './request.ts'
import { type Fields, fields, text } from './shape.ts'
import { chatName } from './tools.ts'

interface Message {
  role: string
  content: unknown
  tool_calls?: Fields[]
  tool_call_id?: string
  [field: string]: unknown
}

/** The conversation as chat completions have it: what the system says, words, calls of tools and their results. */
export function messagesOf({ instructions, input }: ResponsesRequest): ChatRequest['messages'] {
  const messages: Message[] = instructions ? [{ role: 'system', content: instructions }] : []
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  let images: Fields[] = []
  for (const item of items) {
    if (isResult(item)) {
      const { content, pictures } = resultOf(item.output)
      messages.push({ role: 'tool', tool_call_id: text(item.call_id), content })
      images.push(...pictures)
      continue
    }
    if (images.length > 0) messages.push({ role: 'user', content: images })
    images = []
    add(messages, item)
  }
  if (images.length > 0) messages.push({ role: 'user', content: images })
  return messages
}

function add(messages: Message[], item: Fields): void {
  const call = callOf(item)
  const last = messages.at(-1)
  if (call) {
    // The words before a call and all calls at once are one message there.
    if (last?.role === 'assistant') {
      last.tool_calls ??= []
      last.tool_calls.push(call)
    } else messages.push({ role: 'assistant', content: null, tool_calls: [call] })
  } else if ((item.type ?? 'message') === 'message') {
    // Only newer models of OpenAI know a developer, and many take a system at the beginning alone.
    const role = item.role === 'developer' ? 'system' : text(item.role)
    if (role === 'system' && messages.length === 1 && last?.role === 'system')
      last.content = `${last.content}\n\n${wordsOf(item.content)}`
    else
      messages.push({ role, content: role === 'system' ? wordsOf(item.content) : chatContent(item.content) })
  }
}

const RESULTS = ['function_call_output', 'custom_tool_call_output', 'local_shell_call_output']
const isResult = ({ type }: Fields): boolean => RESULTS.includes(text(type))

function callOf(item: Fields): Fields | undefined {
  const made = (name: string, given: string) => ({
    id: text(item.call_id ?? item.id),
    type: 'function',
    function: { name, arguments: given },
  })
  const name = chatName(text(item.name), item.namespace)
  if (item.type === 'function_call') return made(name, text(item.arguments))
  if (item.type === 'custom_tool_call') return made(name, JSON.stringify({ input: text(item.input) }))
  if (item.type === 'local_shell_call') return made('local_shell', JSON.stringify(fields(item.action)))
  return undefined
}

/** Chat completions take no image from a tool, so that a message after it shows them. */
function resultOf(output: unknown): { readonly content: string; readonly pictures: readonly Fields[] } {
  if (typeof output === 'string') return { content: output, pictures: [] }
  if (!Array.isArray(output)) return { content: JSON.stringify(output ?? ''), pictures: [] }
  const pictures = imagesIn(output)
  const words = wordsOf(output)
  return { content: words === '' && pictures.length > 0 ? 'The image is shown below.' : words, pictures }
}

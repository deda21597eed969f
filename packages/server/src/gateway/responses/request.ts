import { type Fields, toFields } from '@panoptes/schema/plain-object'
import { z } from 'zod'
import { errorBody } from '../errors.ts'
import type { ChatRequest } from '../request.ts'
import { text } from './fields.ts'
import { chatName, type Tools } from './tools.ts'

const INPUT = 'must be a text or a list of items'

/** The required fields of a request to the Responses API. */
export const responsesRequest = z.looseObject({
  model: z.string('must be the name of a model').min(1, 'must be the name of a model'),
  input: z.union([z.string(), z.array(z.looseObject({}), INPUT).min(1, 'must not be empty')], INPUT),
  instructions: z.string('must be a text').nullish(),
  tools: z.array(z.looseObject({}), 'must be a list of tools').nullish(),
  stream: z.boolean('must be true or false').nullish(),
})
export type ResponsesRequest = z.infer<typeof responsesRequest>

/** Parameters with the same name in both APIs. */
const SAME = ['temperature', 'top_p', 'user', 'safety_identifier', 'service_tier', 'stream']

/** Translates the request to chat completions. Parameters that need OpenAI's store or its own tools are dropped. */
export function toChatRequest(request: ResponsesRequest, tools: Tools): ChatRequest {
  const body = request as Fields
  const same = SAME.filter((name) => (body[name] ?? null) !== null).map((name) => [name, body[name]])
  const { effort } = toFields(body.reasoning)
  const { format, verbosity } = toFields(body.text)
  const { max_output_tokens: most, top_logprobs: logprobs } = body
  return {
    ...Object.fromEntries(same),
    ...(typeof effort === 'string' ? { reasoning_effort: effort } : {}),
    ...(typeof verbosity === 'string' ? { verbosity } : {}),
    ...(typeof most === 'number' ? { max_completion_tokens: most } : {}),
    ...(typeof logprobs === 'number' && logprobs > 0 ? { logprobs: true, top_logprobs: logprobs } : {}),
    ...toResponseFormat(toFields(format)),
    ...tools.parameters,
    model: request.model,
    messages: toChatMessages(request),
  }
}

function toResponseFormat({ type, ...schema }: Fields): Fields {
  if (type === 'json_schema') return { response_format: { type, json_schema: schema } }
  return type === 'json_object' ? { response_format: { type } } : {}
}

interface Message {
  role: string
  content: unknown
  tool_calls?: Fields[]
  tool_call_id?: string
  [field: string]: unknown
}

/** Translates the input items to messages: system texts, user and assistant texts, tool calls and their results. */
function toChatMessages({ instructions, input }: ResponsesRequest): ChatRequest['messages'] {
  const messages: Message[] = instructions ? [{ role: 'system', content: instructions }] : []
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  let images: Fields[] = []
  for (const item of items) {
    if (isResult(item)) {
      const { content, pictures } = toToolResult(item.output)
      messages.push({ role: 'tool', tool_call_id: text(item.call_id), content })
      images.push(...pictures)
      continue
    }
    if (images.length > 0) messages.push({ role: 'user', content: images })
    images = []
    addMessage(messages, item)
  }
  if (images.length > 0) messages.push({ role: 'user', content: images })
  return messages
}

function addMessage(messages: Message[], item: Fields): void {
  const call = toToolCall(item)
  const last = messages.at(-1)
  if (call) {
    // Chat completions put a text and all tool calls after it into one message.
    if (last?.role === 'assistant') {
      last.tool_calls ??= []
      last.tool_calls.push(call)
    } else messages.push({ role: 'assistant', content: null, tool_calls: [call] })
  } else if ((item.type ?? 'message') === 'message') {
    // Only newer OpenAI models know the developer role, and many models accept a system message only at the
    // beginning.
    const role = item.role === 'developer' ? 'system' : text(item.role)
    if (role === 'system' && messages.length === 1 && last?.role === 'system')
      last.content = `${last.content}\n\n${contentText(item.content)}`
    else
      messages.push({
        role,
        content: role === 'system' ? contentText(item.content) : chatContent(item.content),
      })
  }
}

const RESULTS = ['function_call_output', 'custom_tool_call_output', 'local_shell_call_output']
const isResult = ({ type }: Fields): boolean => RESULTS.includes(text(type))

function toToolCall(item: Fields): Fields | undefined {
  const toCall = (name: string, args: string) => ({
    id: text(item.call_id ?? item.id),
    type: 'function',
    function: { name, arguments: args },
  })
  const name = chatName(text(item.name), item.namespace)
  if (item.type === 'function_call') return toCall(name, text(item.arguments))
  if (item.type === 'custom_tool_call') return toCall(name, JSON.stringify({ input: text(item.input) }))
  if (item.type === 'local_shell_call') return toCall('local_shell', JSON.stringify(toFields(item.action)))
  return undefined
}

/** Chat completions accept no image in a tool result, so a user message after it carries the image. */
function toToolResult(output: unknown): { readonly content: string; readonly pictures: readonly Fields[] } {
  if (typeof output === 'string') return { content: output, pictures: [] }
  if (!Array.isArray(output)) return { content: JSON.stringify(output ?? ''), pictures: [] }
  const pictures = imagesIn(output)
  const words = contentText(output)
  return { content: words === '' && pictures.length > 0 ? 'The image is shown below.' : words, pictures }
}

const DETAILS = ['auto', 'low', 'high']

/** Text alone becomes one string; with images and files, the content stays a list of parts. */
function chatContent(content: unknown): unknown {
  if (typeof content === 'string' || !Array.isArray(content)) return content ?? ''
  const parts = content.map(toFields)
  return parts.every(isTextPart) ? contentText(content) : parts.flatMap(chatPart)
}

const contentText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map(toFields).filter(isTextPart).map(words).join('\n')
      : ''

const imagesIn = (content: readonly unknown[]): readonly Fields[] =>
  content.map(toFields).filter(isImage).flatMap(chatPart)

const isImage = ({ type }: Fields): boolean => type === 'input_image'
const isTextPart = ({ type }: Fields): boolean => /^(?:(?:input_|output_)?text|refusal)$/.test(text(type))
const words = (part: Fields): string => text(part.text ?? part.refusal)

function chatPart(part: Fields): Fields[] {
  if (isTextPart(part)) return [{ type: 'text', text: words(part) }]
  const { type, image_url: url, detail, file_data, file_id, filename } = part
  if (isImage(part)) {
    const seen = typeof detail === 'string' && DETAILS.includes(detail) ? { detail } : {}
    return [{ type: 'image_url', image_url: { url, ...seen } }]
  }
  if (type === 'input_file') return [{ type: 'file', file: { file_data, file_id, filename } }]
  return type === 'input_audio' ? [part] : []
}

const AT_OPENAI = ['previous_response_id', 'conversation', 'prompt']

/** Refuses a request that refers to stored state, since this gateway stores none. */
export function refuseStoredState(request: ResponsesRequest): Response | undefined {
  const body = request as Fields
  const named = AT_OPENAI.find((name) => (body[name] ?? null) !== null)
  if (named) return refuseField(named, 'Send the whole conversation as input.')
  if (body.background === true) return refuseField('background', 'Wait for the answer, or stream it.')
  const items = typeof request.input === 'string' ? [] : request.input
  if (items.some(({ type }) => type === 'item_reference'))
    return refuseField('item_reference', 'Send the item itself.')
  return items.some(({ content, output }) => [content, output].some(hasStoredImage))
    ? refuseField('file_id of an image', 'Send the image itself in image_url.')
    : undefined
}

const hasStoredImage = (parts: unknown): boolean =>
  Array.isArray(parts) &&
  parts.map(toFields).some(({ type, file_id: id }) => type === 'input_image' && (id ?? null) !== null)

const refuseField = (what: string, next: string): Response =>
  Response.json(
    errorBody(
      `Panoptes does not store responses, so it does not support ${what}. ${next}`,
      'invalid_request_error',
      'not_stored',
    ),
    { status: 400 },
  )

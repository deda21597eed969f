import type { ChatReply, ModelError } from '@panoptes/engine/models'
import { type Fields, toFields } from '@panoptes/schema/plain-object'
import { createErrorAnswer, type ModelAnswer, NOTHING } from '../answer.ts'
import { comment, sseAnswer } from '../sse.ts'
import { newId } from './fields.ts'
import { createOutput, type Ending } from './output.ts'
import type { ResponsesRequest } from './request.ts'
import type { Tools } from './tools.ts'

interface ResponseAnswer extends ModelAnswer {
  readonly request: ResponsesRequest
  readonly tools: Tools
}

/** Sends the response as one JSON body. */
export async function sendResponse({ parts, headers, request, tools }: ResponseAnswer): Promise<Response> {
  for await (const part of parts) {
    if (part.type === 'failed') return createErrorAnswer(part.error, headers)
    if (part.type !== 'end') continue
    const output = createOutput(tools, () => {})
    output.take(part.reply.message)
    const { status, ...end } = toResponseEnd(part.reply)
    output.end(status)
    const overrides = { ...end, output: output.items(), usage: responsesUsage(part.usage) }
    return Response.json(createResponse(request)(status, overrides), { headers })
  }
  return createErrorAnswer(NOTHING, headers)
}

/** Streams the response as events, each with its sequence number. */
export function streamResponse(responding: ResponseAnswer): Response {
  const { parts, request, tools } = responding
  return sseAnswer(responding, async (write) => {
    let number = 0
    let held: Promise<void> | undefined
    const sendEvent = (type: string, data: Fields) => {
      held = write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...data })}\n\n`)
      number += 1
    }
    const now = createResponse(request)
    const output = createOutput(tools, sendEvent)
    sendEvent('response.created', { response: now('in_progress', {}) })
    sendEvent('response.in_progress', { response: now('in_progress', {}) })
    let isOver = false
    const finish = (status: Ending, overrides: Fields) => {
      isOver = true
      output.end(status)
      sendEvent(`response.${status}`, { response: now(status, { ...overrides, output: output.items() }) })
    }
    // The parts are read to their end even after the client left, so that their usage is recorded.
    for await (const part of parts) {
      if (part.type === 'news') write(comment(part))
      else if (part.type === 'failed') finish('failed', { error: responseError(part.error) })
      else if (part.type === 'end') {
        const { status, ...end } = toResponseEnd(part.reply)
        finish(status, { ...end, usage: responsesUsage(part.usage) })
      } else for (const { index, delta } of part.chunk.choices) if (index === 0) output.take(delta)
      await held
    }
    if (!isOver) finish('failed', { error: responseError(NOTHING) })
  })
}

/** Builds the response object for a status, with the parameters of the request repeated in it. */
type CurrentResponse = (status: string, overrides: Fields) => Fields

function createResponse(request: ResponsesRequest): CurrentResponse {
  const body = request as Fields
  const fixed = {
    id: newId('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    model: request.model,
    instructions: request.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null, ...toFields(body.reasoning) },
    store: false,
    temperature: body.temperature ?? null,
    text: { format: { type: 'text' }, ...toFields(body.text) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: body.top_p ?? null,
    truncation: 'disabled',
  }
  return (status, overrides) => ({
    ...fixed,
    status,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...overrides,
  })
}

interface ResponseEnd {
  readonly status: Ending
  readonly incomplete_details: object | null
}

/** Translates a finish reason into the status of the Responses API. */
function toResponseEnd({ finish_reason: reason }: ChatReply): ResponseEnd {
  if (reason === 'length')
    return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  if (reason === 'content_filter') return { status: 'incomplete', incomplete_details: { reason } }
  return { status: 'completed', incomplete_details: null }
}

/** The same counts under the names of the Responses API. */
function responsesUsage(usage: object | undefined): Fields | null {
  if (usage === undefined) return null
  const counts = usage as Fields
  return {
    input_tokens: counts.prompt_tokens,
    input_tokens_details: { cached_tokens: toFields(counts.prompt_tokens_details).cached_tokens ?? 0 },
    output_tokens: counts.completion_tokens,
    output_tokens_details: {
      reasoning_tokens: toFields(counts.completion_tokens_details).reasoning_tokens ?? 0,
    },
    total_tokens: counts.total_tokens,
    ...(counts.panoptes === undefined ? {} : { panoptes: counts.panoptes }),
  }
}

/** Codes that clients of streams act on, so that they do not retry what would fail again. */
const CODES: Partial<Record<ModelError['class'], string>> = {
  auth: 'invalid_prompt',
  invalid: 'invalid_prompt',
  not_found: 'invalid_prompt',
  too_long: 'context_length_exceeded',
  rate_limited: 'rate_limit_exceeded',
}

function responseError({ class: kind, message, retry }: ModelError): Fields {
  const wait = retry?.afterMs ? ` Please try again in ${Math.ceil(retry.afterMs / 1_000)}s.` : ''
  return { code: CODES[kind] ?? 'server_error', message: `${message}${wait}` }
}

import type { ChatReply, ModelError } from '@panoptes/engine/models'
import type { Ending } from './output.ts'
import type { ResponsesRequest } from './request.ts'
import { type Fields, fields, newId } from './shape.ts'

/** The response as it stands, with what was asked beside it. */
export type ResponseNow = (status: string, told: Fields) => Fields

export function createResponse(request: ResponsesRequest): ResponseNow {
  const said = request as Fields
  const fixed = {
    id: newId('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    model: request.model,
    instructions: request.instructions ?? null,
    max_output_tokens: said.max_output_tokens ?? null,
    metadata: said.metadata ?? {},
    parallel_tool_calls: said.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null, ...fields(said.reasoning) },
    store: false,
    temperature: said.temperature ?? null,
    text: { format: { type: 'text' }, ...fields(said.text) },
    tool_choice: said.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: said.top_p ?? null,
    truncation: 'disabled',
  }
  return (status, told) => ({
    ...fixed,
    status,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...told,
  })
}

interface End {
  readonly status: Ending
  readonly incomplete_details: object | null
}

/** How an answer ended, in the words of the Responses API. */
export function endOf({ finish_reason: reason }: ChatReply): End {
  if (reason === 'length')
    return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  if (reason === 'content_filter') return { status: 'incomplete', incomplete_details: { reason } }
  return { status: 'completed', incomplete_details: null }
}

/** The same counts under the names of the Responses API. */
export function responsesUsage(usage: object | undefined): Fields | null {
  if (usage === undefined) return null
  const told = usage as Fields
  return {
    input_tokens: told.prompt_tokens,
    input_tokens_details: { cached_tokens: fields(told.prompt_tokens_details).cached_tokens ?? 0 },
    output_tokens: told.completion_tokens,
    output_tokens_details: {
      reasoning_tokens: fields(told.completion_tokens_details).reasoning_tokens ?? 0,
    },
    total_tokens: told.total_tokens,
    ...(told.panoptes === undefined ? {} : { panoptes: told.panoptes }),
  }
}

/** Codes that clients of streams go by: what would fail again is not asked again. */
const CODES: Partial<Record<ModelError['class'], string>> = {
  auth: 'invalid_prompt',
  invalid: 'invalid_prompt',
  not_found: 'invalid_prompt',
  too_long: 'context_length_exceeded',
  rate_limited: 'rate_limit_exceeded',
}

export function responseError({ class: kind, message, retry }: ModelError): Fields {
  const wait = retry?.afterMs ? ` Please try again in ${Math.ceil(retry.afterMs / 1_000)}s.` : ''
  return { code: CODES[kind] ?? 'server_error', message: `${message}${wait}` }
}

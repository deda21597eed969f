import { z } from 'zod'
import type { ChatRequest } from '../request.ts'
import { messagesOf } from './messages.ts'
import { type Fields, fields } from './shape.ts'
import type { Tools } from './tools.ts'

const INPUT = 'must be a text or a list of items'

/** What a client of the Responses API has to say. */
export const responsesRequest = z.looseObject({
  model: z.string('must be the name of a model').min(1, 'must be the name of a model'),
  input: z.union([z.string(), z.array(z.looseObject({}), INPUT).min(1, 'must not be empty')], INPUT),
  instructions: z.string('must be a text').nullish(),
  tools: z.array(z.looseObject({}), 'must be a list of tools').nullish(),
  stream: z.boolean('must be true or false').nullish(),
})
export type ResponsesRequest = z.infer<typeof responsesRequest>

/** What both wires call the same. */
const SAME = ['temperature', 'top_p', 'user', 'safety_identifier', 'service_tier', 'stream']

/** The same question in the words of chat completions. What only a store or a tool of OpenAI's own would need is left out. */
export function chatOf(request: ResponsesRequest, tools: Tools): ChatRequest {
  const said = request as Fields
  const same = SAME.filter((name) => (said[name] ?? null) !== null).map((name) => [name, said[name]])
  const { effort } = fields(said.reasoning)
  const { format, verbosity } = fields(said.text)
  const { max_output_tokens: most, top_logprobs: logprobs } = said
  return {
    ...Object.fromEntries(same),
    ...(typeof effort === 'string' ? { reasoning_effort: effort } : {}),
    ...(typeof verbosity === 'string' ? { verbosity } : {}),
    ...(typeof most === 'number' ? { max_completion_tokens: most } : {}),
    ...(typeof logprobs === 'number' && logprobs > 0 ? { logprobs: true, top_logprobs: logprobs } : {}),
    ...formatOf(fields(format)),
    ...tools.asked,
    model: request.model,
    messages: messagesOf(request),
  }
}

function formatOf({ type, ...schema }: Fields): Fields {
  if (type === 'json_schema') return { response_format: { type, json_schema: schema } }
  return type === 'json_object' ? { response_format: { type } } : {}
}

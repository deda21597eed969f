import { check } from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { streamedAnswer, wholeAnswer } from '../gateway/answer.ts'
import { ask, type Models } from '../gateway/ask.ts'
import { listed, oneModel } from '../gateway/models.ts'
import { type ChatRequest, chatRequest } from '../gateway/request.ts'
import { streamedResponse, wholeResponse } from '../gateway/responses/answer.ts'
import { responsesRequest, toChatRequest } from '../gateway/responses/request.ts'
import { refuseStoredState } from '../gateway/responses/stateless-check.ts'
import { parseTools } from '../gateway/responses/tools.ts'
import { findOwner } from '../owner.ts'
import { badInput } from '../problem.ts'
import { withBody } from '../request-body.ts'
import { type Call, JSON_TYPE, type Reply, type Route } from '../route.ts'

/** No more than the budget of all large bodies together: a larger body would never get room. */
const MOST = 32 * 1_048_576

/** An OpenAI-compatible API for models and presets. */
export const gatewayRoutes = ({ options: { moa, providers }, people }: AppContext): readonly Route[] =>
  moa === undefined || providers === undefined
    ? []
    : [
        {
          method: 'POST',
          path: '/v1/chat/completions',
          scope: 'gateway',
          summary: 'OpenAI Chat Completions for every model, and for every preset as moa/NAME.',
          body: { type: JSON_TYPE, schema: chatRequest },
          reply: { type: JSON_TYPE, schema: z.looseObject({}) },
          answer: (call) => chat({ moa, providers }, call, findOwner(people, call.caller)),
        },
        {
          method: 'POST',
          path: '/v1/responses',
          scope: 'gateway',
          summary: 'OpenAI Responses for every model and preset. Nothing is stored.',
          body: { type: JSON_TYPE, schema: responsesRequest },
          reply: { type: JSON_TYPE, schema: z.looseObject({}) },
          answer: (call) => respond({ moa, providers }, call, findOwner(people, call.caller)),
        },
        {
          method: 'GET',
          path: '/v1/models',
          scope: 'gateway',
          summary: "All presets, and the models of every provider, in OpenAI's format.",
          reply: {
            type: JSON_TYPE,
            schema: z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) }),
          },
          answer: () => listed({ moa, providers }),
        },
        {
          method: 'GET',
          path: '/v1/models/:id{.+}',
          scope: 'gateway',
          summary: "One model or preset by its id, in OpenAI's format.",
          params: z.object({ id: z.string() }),
          reply: { type: JSON_TYPE, schema: z.looseObject({ id: z.string() }) },
          answer: ({ params }) => oneModel({ moa, providers }, params.id ?? ''),
        },
      ]

const readBody = (incoming: Call['incoming']) =>
  withBody(incoming, MOST, (text) => {
    try {
      return { said: JSON.parse(text) as unknown }
    } catch {
      return { said: undefined }
    }
  })

async function chat(models: Models, { incoming }: Call, owner: string | undefined): Promise<Reply> {
  const read = await readBody(incoming)
  if (!('said' in read)) return read
  const checked = check(chatRequest, read.said)
  if (!checked.ok) return badInput('body', checked.problems)
  const request = checked.value
  const answer = ask(models, { incoming, owner }, request)
  if (answer instanceof Response) return answer
  return request.stream === true ? streamedAnswer(answer, wantsUsage(request)) : wholeAnswer(answer)
}

/** Codex begins every conversation in a folder with the same text, and names the conversation in these headers. */
const CODEX = ['thread-id', 'session-id']

async function respond(models: Models, { incoming }: Call, owner: string | undefined): Promise<Reply> {
  const read = await readBody(incoming)
  if (!('said' in read)) return read
  const checked = check(responsesRequest, read.said)
  if (!checked.ok) return badInput('body', checked.problems)
  const request = checked.value
  const missing = refuseStoredState(request)
  if (missing) return missing
  const tools = parseTools(request)
  const answer = ask(models, { incoming, owner, sessionHeaders: CODEX }, toChatRequest(request, tools))
  if (answer instanceof Response) return answer
  const answering = { ...answer, request, tools }
  return request.stream === true ? streamedResponse(answering) : wholeResponse(answering)
}

const wantsUsage = ({ stream_options: options }: ChatRequest): boolean =>
  (options as { include_usage?: unknown } | undefined)?.include_usage === true

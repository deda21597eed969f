import { check } from '@panoptes/schema'
import { z } from 'zod'
import { withBody } from '../body.ts'
import { streamedAnswer, wholeAnswer } from '../gateway/answer.ts'
import { ask, type Models } from '../gateway/ask.ts'
import { listed, oneModel } from '../gateway/models.ts'
import { type ChatRequest, chatRequest } from '../gateway/request.ts'
import { streamedResponse, wholeResponse } from '../gateway/responses/answer.ts'
import { notKept } from '../gateway/responses/not-kept.ts'
import { chatOf, responsesRequest } from '../gateway/responses/request.ts'
import { toolsOf } from '../gateway/responses/tools.ts'
import type { Kit } from '../kit.ts'
import { ownerOf } from '../owner.ts'
import { badInput } from '../problem.ts'
import { type Call, JSON_TYPE, type Reply, type Route } from '../route.ts'

/** As much as large bodies together may have: a larger one would wait for ever. */
const MOST = 32 * 1_048_576

/** Models and presets for any client of OpenAI's API. */
export const gatewayRoutes = ({ options: { moa, providers }, people }: Kit): readonly Route[] =>
  moa === undefined || providers === undefined
    ? []
    : [
        {
          method: 'POST',
          path: '/v1/chat/completions',
          scope: 'gateway',
          summary: 'An answer of a model, or of a preset of several (moa/NAME), as OpenAI gives it.',
          body: { type: JSON_TYPE, schema: chatRequest },
          reply: { type: JSON_TYPE, schema: z.looseObject({}) },
          answer: (call) => chat({ moa, providers }, call, ownerOf(people, call.caller)),
        },
        {
          method: 'POST',
          path: '/v1/responses',
          scope: 'gateway',
          summary: 'The same, as the Responses API of OpenAI has it. Nothing is stored.',
          body: { type: JSON_TYPE, schema: responsesRequest },
          reply: { type: JSON_TYPE, schema: z.looseObject({}) },
          answer: (call) => respond({ moa, providers }, call, ownerOf(people, call.caller)),
        },
        {
          method: 'GET',
          path: '/v1/models',
          scope: 'gateway',
          summary: 'The presets and the models of every provider, as OpenAI lists them.',
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
          summary: 'One of them, by its id, as OpenAI tells it.',
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
  const asked = ask(models, { incoming, owner }, request)
  if (asked instanceof Response) return asked
  return request.stream === true ? streamedAnswer(asked, wantsUsage(request)) : wholeAnswer(asked)
}

/** Codex begins every conversation in a folder alike, and says so which it is. */
const CODEX = ['thread-id', 'session-id']

async function respond(models: Models, { incoming }: Call, owner: string | undefined): Promise<Reply> {
  const read = await readBody(incoming)
  if (!('said' in read)) return read
  const checked = check(responsesRequest, read.said)
  if (!checked.ok) return badInput('body', checked.problems)
  const request = checked.value
  const missing = notKept(request)
  if (missing) return missing
  const tools = toolsOf(request)
  const asked = ask(models, { incoming, owner, sessionHeaders: CODEX }, chatOf(request, tools))
  if (asked instanceof Response) return asked
  const answering = { ...asked, request, tools }
  return request.stream === true ? streamedResponse(answering) : wholeResponse(answering)
}

const wantsUsage = ({ stream_options: options }: ChatRequest): boolean =>
  (options as { include_usage?: unknown } | undefined)?.include_usage === true

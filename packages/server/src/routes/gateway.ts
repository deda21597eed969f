import { LOCAL_PROVIDERS } from '@panoptes/engine/models'
import { check, type Result } from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { findOwner } from '../authenticate.ts'
import { sendAnswer, streamAnswer } from '../gateway/answer.ts'
import { ask, type Models, unknownModel } from '../gateway/ask.ts'
import { errorBody } from '../gateway/errors.ts'
import { type ChatRequest, chatRequest } from '../gateway/request.ts'
import { sendResponse, streamResponse } from '../gateway/responses/answer.ts'
import { refuseStoredState, responsesRequest, toChatRequest } from '../gateway/responses/request.ts'
import { parseTools } from '../gateway/responses/tools.ts'
import { badInput } from '../problem.ts'
import { withBody } from '../request-body.ts'
import { type Call, JSON_TYPE, json, type Reply, type Route } from '../route.ts'

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
          answer: () => listModels({ moa, providers }),
        },
        {
          method: 'GET',
          path: '/v1/models/:id{.+}',
          scope: 'gateway',
          summary: "One model or preset by its id, in OpenAI's format.",
          params: z.object({ id: z.string() }),
          reply: { type: JSON_TYPE, schema: z.looseObject({ id: z.string() }) },
          answer: ({ params }) => findModel({ moa, providers }, params.id ?? ''),
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
  return request.stream === true ? streamAnswer(answer, wantsUsage(request)) : sendAnswer(answer)
}

/** Codex begins every conversation in a folder with the same text, and names the conversation in these headers. */
const CODEX = ['thread-id', 'session-id']

async function respond(models: Models, { incoming }: Call, owner: string | undefined): Promise<Reply> {
  const read = await readBody(incoming)
  if (!('said' in read)) return read
  const checked = check(responsesRequest, read.said)
  if (!checked.ok) return badInput('body', checked.problems)
  const request = checked.value
  const noSuchModel = refuseStoredState(request)
  if (noSuchModel) return noSuchModel
  const tools = parseTools(request)
  const answer = ask(models, { incoming, owner, sessionHeaders: CODEX }, toChatRequest(request, tools))
  if (answer instanceof Response) return answer
  const answering = { ...answer, request, tools }
  return request.stream === true ? streamResponse(answering) : sendResponse(answering)
}

const wantsUsage = ({ stream_options: options }: ChatRequest): boolean =>
  (options as { include_usage?: unknown } | undefined)?.include_usage === true

const LIST_TIMEOUT_MS = 3_000
/** A local provider may not be running, so the list does not wait long for it. */
const LOCAL_LIST_TIMEOUT_MS = 500

/** Lists the presets, and the models of every provider that answers in time. */
async function listModels(models: Models): Promise<Response> {
  const presets = Object.keys(models.moa.presets()).map((name) => modelRow(`moa/${name}`, 'panoptes'))
  const others = await Promise.all(
    models.providers.endpoints.map(async ({ name }) => {
      const ids = await listModelIds(models, name)
      return ids.ok ? ids.value.map((id) => modelRow(`${name}/${id}`, name)) : []
    }),
  )
  return json({ object: 'list', data: [...presets, ...others.flat()] })
}

/** Finds one model by its id, such as `openai/gpt-5`; the part after the first slash may contain more slashes. */
async function findModel(models: Models, id: string): Promise<Response> {
  const slash = id.indexOf('/')
  const [place, name] = [id.slice(0, Math.max(0, slash)), id.slice(slash + 1)]
  if (place === 'moa' && Object.hasOwn(models.moa.presets(), name)) return json(modelRow(id, 'panoptes'))
  if (!models.providers.endpoints.some((endpoint) => endpoint.name === place)) return modelNotFound(id)
  const ids = await listModelIds(models, place)
  if (ids.ok) return ids.value.includes(name) ? json(modelRow(id, place)) : modelNotFound(id)
  return Response.json(errorBody(ids.message, 'server_error', 'network'), { status: 502 })
}

const modelNotFound = (id: string): Response =>
  unknownModel(`There is no model ${id}. GET /v1/models lists the models.`)

async function listModelIds({ providers }: Models, name: string): Promise<Result<readonly string[]>> {
  const provider = providers.get(name)
  if (!provider.ok) return provider
  const from = providers.endpoints.find((endpoint) => endpoint.name === name)?.from
  const isMaybe = LOCAL_PROVIDERS.includes(name) && from === 'local'
  return provider.value.models(AbortSignal.timeout(isMaybe ? LOCAL_LIST_TIMEOUT_MS : LIST_TIMEOUT_MS))
}

const modelRow = (id: string, owner: string) => ({ id, object: 'model', created: 0, owned_by: owner })

import type { Moa, TurnPart } from '@panoptes/engine/moa'
import type { ChatPart, Provider, Providers } from '@panoptes/engine/models'
import { asOpenaiUsage, LOCAL_PROVIDERS } from '@panoptes/engine/models'
import { check } from '@panoptes/schema'
import { z } from 'zod'
import { withBody } from '../body.ts'
import { type GatewayPart, streamedAnswer, wholeAnswer } from '../gateway/answer.ts'
import { errorBody } from '../gateway/errors.ts'
import { type ChatRequest, chatRequest, parametersOf, sessionOf } from '../gateway/request.ts'
import { usageOf } from '../gateway/usage.ts'
import type { Kit } from '../kit.ts'
import { badInput } from '../problem.ts'
import { type Call, JSON_TYPE, json, type Reply, type Route } from '../route.ts'

const MOST = 64 * 1_048_576

/** Models and presets for any client of OpenAI's API. */
export const gatewayRoutes = ({ options: { moa, providers } }: Kit): readonly Route[] =>
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
          answer: (call) => chat(moa, providers, call),
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
          answer: () => listed(moa, providers),
        },
      ]

async function chat(moa: Moa, providers: Providers, { incoming }: Call): Promise<Reply> {
  const read = await withBody(incoming, MOST, (text) => {
    try {
      return { said: JSON.parse(text) as unknown }
    } catch {
      return { said: undefined }
    }
  })
  if (!('said' in read)) return read
  const checked = check(chatRequest, read.said)
  if (!checked.ok) return badInput('body', checked.problems)
  const request = checked.value
  const stop = new AbortController()
  const asked = partsOf(moa, providers, incoming, request, stop.signal)
  if (asked instanceof Response) return asked
  const parts = whileHere(incoming, stop, asked.parts)
  const answering = { ...asked, parts, model: request.model, stop }
  if (request.stream !== true) return wholeAnswer(answering)
  return streamedAnswer(answering, wantsUsage(request))
}

/** Who hangs up stops every call. A connection is used for many requests, so it is let go of after each. */
async function* whileHere(
  { socket }: Call['incoming'],
  stop: AbortController,
  parts: AsyncIterable<GatewayPart>,
): AsyncGenerator<GatewayPart, undefined> {
  const leave = () => stop.abort()
  socket.once('close', leave)
  try {
    if (socket.destroyed) leave()
    yield* parts
  } finally {
    socket.off('close', leave)
  }
}

const wantsUsage = ({ stream_options: options }: ChatRequest): boolean =>
  (options as { include_usage?: unknown } | undefined)?.include_usage === true

type Asked = {
  readonly parts: AsyncIterable<GatewayPart>
  readonly headers: Readonly<Record<string, string>>
}

function partsOf(
  moa: Moa,
  providers: Providers,
  { headers }: Call['incoming'],
  request: ChatRequest,
  signal: AbortSignal,
): Asked | Response {
  const { messages } = request
  const rest = parametersOf(request)
  const stream = request.stream === true
  const slash = request.model.indexOf('/')
  const place = slash < 0 ? '' : request.model.slice(0, slash)
  const name = request.model.slice(slash + 1)
  const session = sessionOf(headers, messages)
  const said = { 'x-panoptes-session-id': encodeURIComponent(session) }
  if (place === 'moa') {
    const turn = moa.run({ preset: name, session, ask: { messages, rest, stream }, signal, from: 'gateway' })
    if (turn.ok) return { parts: ofTurn(turn.value), headers: said }
    return turn.code === 'not_found' ? unknownModel(turn.message) : unusable(turn.message)
  }
  const provider = providers.get(place)
  if (!provider.ok)
    return unknownModel(
      slash < 0
        ? `There is no model ${name}. Name it as provider/model or moa/preset: GET /v1/models lists them.`
        : provider.message,
    )
  return { parts: ofModel(provider.value, { model: name, messages, rest, stream }, signal), headers: said }
}

const unknownModel = (message: string): Response =>
  Response.json(errorBody(message, 'invalid_request_error', 'model_not_found'), { status: 404 })

/** A preset that cannot work as it is written. */
const unusable = (message: string): Response =>
  Response.json(errorBody(message, 'invalid_request_error', 'invalid'), { status: 400 })

async function* ofTurn(parts: AsyncIterable<TurnPart>): AsyncGenerator<GatewayPart, undefined> {
  for await (const part of parts) {
    if (part.type === 'chunk' || part.type === 'failed') yield part
    else if (part.type === 'end') yield { type: 'end', reply: part.reply, usage: usageOf(part.call) }
    else {
      const { type, ...data } = part
      yield { type: 'news', name: `moa.${type}`, data }
    }
  }
}

interface Single {
  readonly model: string
  readonly messages: ChatRequest['messages']
  readonly rest: Readonly<Record<string, unknown>>
  readonly stream: boolean
}

async function* ofModel(
  provider: Provider,
  { stream, ...ask }: Single,
  signal: AbortSignal,
): AsyncGenerator<GatewayPart, undefined> {
  for await (const part of provider.chat(ask, { stream, signal }) as AsyncIterable<ChatPart>) {
    if (part.type === 'end')
      yield {
        type: 'end',
        reply: part.reply,
        usage: part.reply.usage ? asOpenaiUsage(part.reply.usage) : undefined,
      }
    else yield part
  }
}

const PATIENCE_MS = 3_000

async function listed(moa: Moa, providers: Providers): Promise<Response> {
  const presets = Object.keys(moa.presets()).map((name) => modelRow(`moa/${name}`, 'panoptes'))
  const models = await Promise.all(
    providers.endpoints.map(async ({ name, from }) => {
      const provider = providers.get(name)
      if (!provider.ok) return []
      // Of those that may not be running, nobody waits for long.
      const told = await provider.value.models(
        AbortSignal.timeout(LOCAL_PROVIDERS.includes(name) && from === 'local' ? 500 : PATIENCE_MS),
      )
      return told.ok ? told.value.map((id) => modelRow(`${name}/${id}`, name)) : []
    }),
  )
  return json({ object: 'list', data: [...presets, ...models.flat()] })
}

const modelRow = (id: string, owner: string) => ({ id, object: 'model', created: 0, owned_by: owner })

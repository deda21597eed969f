import type { Moa, TurnPart } from '@panoptes/engine/moa'
import type { ChatPart, Provider, Providers } from '@panoptes/engine/models'
import { passedUsage } from '@panoptes/engine/models'
import type { Call } from '../route.ts'
import type { Answering, GatewayPart } from './answer.ts'
import { errorBody } from './errors.ts'
import { type ChatRequest, parametersOf, sessionOf } from './request.ts'
import { usageOf } from './usage.ts'

export interface Models {
  readonly moa: Moa
  readonly providers: Providers
}

export interface AskedBy {
  readonly incoming: Call['incoming']
  /** Whose question it is, where people share a hub. */
  readonly owner?: string | undefined
  /** Headers by which this client names its session. */
  readonly sessionHeaders?: readonly string[]
}

/** Asks whoever the request names, a preset or a model; or says why nobody can be asked. */
export function ask(
  models: Models,
  { incoming, owner, sessionHeaders = [] }: AskedBy,
  request: ChatRequest,
): Answering | Response {
  const stop = new AbortController()
  const session = sessionOf(incoming.headers, request.messages, sessionHeaders, owner)
  const asked = partsOf(models, { session, owner }, request, stop.signal)
  if (asked instanceof Response) return asked
  return { ...asked, parts: whileHere(incoming, stop, asked.parts), model: request.model, stop }
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

type Asked = {
  readonly parts: AsyncIterable<GatewayPart>
  readonly headers: Readonly<Record<string, string>>
}

function partsOf(
  { moa, providers }: Models,
  { session, owner }: { readonly session: string; readonly owner: string | undefined },
  request: ChatRequest,
  signal: AbortSignal,
): Asked | Response {
  const { messages } = request
  const rest = parametersOf(request)
  const stream = request.stream === true
  const slash = request.model.indexOf('/')
  const place = slash < 0 ? '' : request.model.slice(0, slash)
  const name = request.model.slice(slash + 1)
  const said = { 'x-panoptes-session-id': encodeURIComponent(session) }
  if (place === 'moa') {
    const turn = moa.run({
      preset: name,
      session,
      owner,
      ask: { messages, rest, stream },
      signal,
      from: 'gateway',
    })
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
  return {
    parts: ofModel(provider.value, { model: name, messages, rest, stream }, { signal, session }),
    headers: said,
  }
}

export const unknownModel = (message: string): Response =>
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
  of: { readonly signal: AbortSignal; readonly session: string },
): AsyncGenerator<GatewayPart, undefined> {
  for await (const part of provider.chat(ask, { stream, ...of }) as AsyncIterable<ChatPart>) {
    if (part.type === 'end')
      yield { type: 'end', reply: part.reply, usage: passedUsage(part.reply.usage, part.reply.told) }
    else yield part
  }
}

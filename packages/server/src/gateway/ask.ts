import type { Moa, TurnCall, TurnPart } from '@panoptes/engine/moa'
import {
  type ChatPart,
  mergeReportedUsage,
  type Provider,
  type Providers,
  toOpenaiUsage,
} from '@panoptes/engine/models'
import type { TokenUsage } from '@panoptes/schema'
import type { Call } from '../route.ts'
import type { GatewayPart, ModelAnswer } from './answer.ts'
import { errorBody } from './errors.ts'
import { type ChatRequest, extraParameters, findSessionId } from './request.ts'

export interface Models {
  readonly moa: Moa
  readonly providers: Providers
}

export interface AskContext {
  readonly incoming: Call['incoming']
  /** The person who asks, where people share a hub. */
  readonly owner?: string | undefined
  /** Headers in which this client names its session. */
  readonly sessionHeaders?: readonly string[]
}

/** Starts the preset or model that the request names, or returns the error that explains why it cannot. */
export function ask(
  models: Models,
  { incoming, owner, sessionHeaders = [] }: AskContext,
  request: ChatRequest,
): ModelAnswer | Response {
  const stop = new AbortController()
  const session = findSessionId(incoming.headers, request.messages, sessionHeaders, owner)
  const answer = startAnswer(models, { session, owner }, request, stop.signal)
  if (answer instanceof Response) return answer
  return { ...answer, parts: abortOnClose(incoming, stop, answer.parts), model: request.model, stop }
}

/**
 * Aborts the call when the client disconnects. The socket serves many requests, so the listener is removed after
 * each.
 */
async function* abortOnClose(
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

type AnswerParts = {
  readonly parts: AsyncIterable<GatewayPart>
  readonly headers: Readonly<Record<string, string>>
}

function startAnswer(
  { moa, providers }: Models,
  { session, owner }: { readonly session: string; readonly owner: string | undefined },
  request: ChatRequest,
  signal: AbortSignal,
): AnswerParts | Response {
  const { messages } = request
  const rest = extraParameters(request)
  const stream = request.stream === true
  const slash = request.model.indexOf('/')
  const place = slash < 0 ? '' : request.model.slice(0, slash)
  const name = request.model.slice(slash + 1)
  const sessionHeader = { 'x-panoptes-session-id': encodeURIComponent(session) }
  if (place === 'moa') {
    const turn = moa.run({
      preset: name,
      session,
      owner,
      ask: { messages, rest, stream },
      signal,
      from: 'gateway',
    })
    if (turn.ok) return { parts: toTurnParts(turn.value), headers: sessionHeader }
    return turn.code === 'not_found' ? unknownModel(turn.message) : invalidPreset(turn.message)
  }
  const provider = providers.get(place)
  if (!provider.ok)
    return unknownModel(
      slash < 0
        ? `There is no model ${name}. Write it as provider/model or moa/preset. GET /v1/models lists the models.`
        : provider.message,
    )
  return {
    parts: toModelParts(provider.value, { model: name, messages, rest, stream }, { signal, session }),
    headers: sessionHeader,
  }
}

export const unknownModel = (message: string): Response =>
  Response.json(errorBody(message, 'invalid_request_error', 'model_not_found'), { status: 404 })

/** The answer for a preset with an invalid configuration. */
const invalidPreset = (message: string): Response =>
  Response.json(errorBody(message, 'invalid_request_error', 'invalid'), { status: 400 })

async function* toTurnParts(parts: AsyncIterable<TurnPart>): AsyncGenerator<GatewayPart, undefined> {
  for await (const part of parts) {
    if (part.type === 'chunk' || part.type === 'failed') yield part
    else if (part.type === 'end') yield { type: 'end', reply: part.reply, usage: buildUsage(part.call) }
    else {
      const { type, ...data } = part
      yield { type: 'news', name: `moa.${type}`, data }
    }
  }
}

interface ModelCall {
  readonly model: string
  readonly messages: ChatRequest['messages']
  readonly rest: Readonly<Record<string, unknown>>
  readonly stream: boolean
}

async function* toModelParts(
  provider: Provider,
  { stream, ...ask }: ModelCall,
  of: { readonly signal: AbortSignal; readonly session: string },
): AsyncGenerator<GatewayPart, undefined> {
  for await (const part of provider.chat(ask, { stream, ...of }) as AsyncIterable<ChatPart>) {
    if (part.type === 'end')
      yield {
        type: 'end',
        reply: part.reply,
        usage: mergeReportedUsage(part.reply.usage, part.reply.rawUsage),
      }
    else yield part
  }
}

type CountedUsage = Pick<
  TokenUsage,
  'input' | 'output' | 'cache_read' | 'cache_write' | 'cache_write_1h' | 'reasoning'
>

const add = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0)

const addUsage = (a: CountedUsage, b: CountedUsage): CountedUsage => ({
  input: add(a.input, b.input),
  output: add(a.output, b.output),
  cache_read: add(a.cache_read, b.cache_read),
  cache_write: add(a.cache_write, b.cache_write),
  cache_write_1h: add(a.cache_write_1h, b.cache_write_1h),
  reasoning: add(a.reasoning, b.reasoning),
})

/**
 * The usage of a call with all of its references, and per slot in a field of our own. Undefined if no provider
 * reported any.
 */
function buildUsage({ advised, acted, turnId, iteration, fanOut }: TurnCall): object | undefined {
  const slots = [...advised, ...(acted ? [acted] : [])]
  const usages = slots.flatMap(({ usage }) => (usage ? [usage] : []))
  const [first, ...others] = usages
  const breakdown = {
    turn_id: turnId,
    iteration,
    fan_out: fanOut,
    slots: slots.map(({ label, usage, costMicroUsd, startedAt, endedAt, error }, at) => ({
      role: acted && at === slots.length - 1 ? 'aggregator' : 'reference',
      label,
      usage: usage && toOpenaiUsage(usage),
      cost_usd: costMicroUsd === null ? null : costMicroUsd / 1_000_000,
      duration_ms: endedAt - startedAt,
      error: error?.class ?? null,
    })),
  }
  return first === undefined
    ? undefined
    : { ...toOpenaiUsage(others.reduce<CountedUsage>(addUsage, first)), panoptes: breakdown }
}

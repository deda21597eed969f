import { randomUUID } from 'node:crypto'
import type { ChatChunk, ChatReply, ModelError } from '@panoptes/engine/models'
import { errorStatus, modelErrorBody } from './errors.ts'
import { comment, sseAnswer } from './sse.ts'

/** What a model or a preset yields while it answers: chunks, progress for clients that show it, and one end. */
export type GatewayPart =
  | { readonly type: 'chunk'; readonly chunk: ChatChunk }
  | { readonly type: 'news'; readonly name: string; readonly data: object }
  | { readonly type: 'end'; readonly reply: ChatReply; readonly usage: object | undefined }
  | { readonly type: 'failed'; readonly error: ModelError }

export interface ModelAnswer {
  readonly parts: AsyncIterable<GatewayPart>
  /** The model, as the client named it. */
  readonly model: string
  readonly headers: Readonly<Record<string, string>>
  readonly stop: AbortController
}

/** Sends the answer as one JSON body. */
export async function sendAnswer({ parts, model, headers }: ModelAnswer): Promise<Response> {
  for await (const part of parts) {
    if (part.type === 'failed') return createErrorAnswer(part.error, headers)
    if (part.type === 'end')
      return Response.json(
        {
          ...otherFields(part.reply),
          id: `chatcmpl-${randomUUID()}`,
          object: 'chat.completion',
          created: Math.floor(Date.now() / 1_000),
          model,
          choices: toChoices(part.reply),
          ...(part.usage ? { usage: part.usage } : {}),
        },
        { headers },
      )
  }
  return createErrorAnswer(NOTHING, headers)
}

/** The error when a model ends without an answer. */
export const NOTHING: ModelError = {
  class: 'bad_reply',
  message: 'The model gave no answer.',
  status: null,
  partial: '',
  usage: null,
}

export const createErrorAnswer = (error: ModelError, headers: ModelAnswer['headers']): Response =>
  Response.json(modelErrorBody(error), {
    status: errorStatus(error),
    headers: { ...headers, ...retryAfterHeader(error) },
  })

/** Everything else that the provider put into its answer, without the usage, which Panoptes counts itself. */
function otherFields({ answer = {} }: ChatReply): object {
  const { usage: _usage, ...others } = answer
  return others
}

/** Keeps the choices of a complete answer: there may be several, with more fields than their text. */
function toChoices({ answer, message, finish_reason }: ChatReply): readonly unknown[] {
  if (Array.isArray(answer?.choices)) return answer.choices
  return [{ index: 0, message, logprobs: null, finish_reason: finish_reason ?? 'stop' }]
}

/** Passes on how long the provider asks clients to wait. */
const retryAfterHeader = ({ retry }: ModelError): Readonly<Record<string, string>> =>
  retry?.afterMs ? { 'retry-after': String(Math.ceil(retry.afterMs / 1_000)) } : {}

/** Streams the answer. A request that fails before its first chunk gets an HTTP status that says why. */
export async function streamAnswer(answering: ModelAnswer, withUsage: boolean): Promise<Response> {
  const { model, headers } = answering
  const { first, parts } = await readFirstPart(answering.parts)
  if (first?.type === 'failed') return createErrorAnswer(first.error, headers)
  const id = `chatcmpl-${randomUUID()}`
  const created = Math.floor(Date.now() / 1_000)
  return sseAnswer(answering, async (write) => {
    const send = (data: object) => write(`data: ${JSON.stringify(data)}\n\n`)
    // The parts are read to their end even after the client left, so that their usage is recorded.
    for await (const part of parts) {
      if (part.type === 'news') write(comment(part))
      else if (part.type === 'chunk') {
        const { usage: _usage, ...chunk } = part.chunk
        if (chunk.choices.length > 0)
          await send({ ...chunk, id, object: 'chat.completion.chunk', created, model })
      } else if (part.type === 'failed') send(modelErrorBody(part.error))
      else if (withUsage && part.usage)
        send({ id, object: 'chat.completion.chunk', created, model, choices: [], usage: part.usage })
    }
    write('data: [DONE]\n\n')
  })
}

/** Reads the first part, and returns it together with an iterable of all parts. */
async function readFirstPart(
  parts: AsyncIterable<GatewayPart>,
): Promise<{ readonly first: GatewayPart | undefined; readonly parts: AsyncIterable<GatewayPart> }> {
  const reading = parts[Symbol.asyncIterator]()
  const { value: first, done } = await reading.next()
  if (done || first.type === 'failed') await reading.return?.()
  return { first: done ? undefined : first, parts: following(done ? [] : [first], reading) }
}

async function* following(
  buffered: readonly GatewayPart[],
  reading: AsyncIterator<GatewayPart>,
): AsyncGenerator<GatewayPart, undefined> {
  yield* buffered
  for (let next = await reading.next(); !next.done; next = await reading.next()) yield next.value
}

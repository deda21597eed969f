import { randomUUID } from 'node:crypto'
import type { ChatChunk, ChatReply, ModelError } from '@panoptes/engine/models'
import { modelErrorBody, statusOf } from './errors.ts'
import { comment, sseAnswer } from './sse.ts'

/** What comes of a request, whoever answers it: pieces, news for whoever wants it, and one end. */
export type GatewayPart =
  | { readonly type: 'chunk'; readonly chunk: ChatChunk }
  | { readonly type: 'news'; readonly name: string; readonly data: object }
  | { readonly type: 'end'; readonly reply: ChatReply; readonly usage: object | undefined }
  | { readonly type: 'failed'; readonly error: ModelError }

export interface Answering {
  readonly parts: AsyncIterable<GatewayPart>
  /** The model as the client named it. */
  readonly model: string
  readonly headers: Readonly<Record<string, string>>
  readonly stop: AbortController
}

/** The whole answer at once. */
export async function wholeAnswer({ parts, model, headers }: Answering): Promise<Response> {
  for await (const part of parts) {
    if (part.type === 'failed') return failedAnswer(part.error, headers)
    if (part.type === 'end')
      return Response.json(
        {
          ...saidBeside(part.reply),
          id: `chatcmpl-${randomUUID()}`,
          object: 'chat.completion',
          created: Math.floor(Date.now() / 1_000),
          model,
          choices: choicesOf(part.reply),
          ...(part.usage ? { usage: part.usage } : {}),
        },
        { headers },
      )
  }
  return failedAnswer(NOTHING, headers)
}

/** What is to be said where nothing came. */
export const NOTHING: ModelError = {
  class: 'bad_reply',
  message: 'Nothing was answered.',
  status: null,
  partial: '',
  usage: null,
}

export const failedAnswer = (error: ModelError, headers: Answering['headers']): Response =>
  Response.json(modelErrorBody(error), {
    status: statusOf(error),
    headers: { ...headers, ...patienceOf(error) },
  })

/** All that a provider told with its answer, but for what it took: that is ours to say. */
function saidBeside({ answer = {} }: ChatReply): object {
  const { usage: _usage, ...others } = answer
  return others
}

/** As they came, where they came whole: there may be several, with more to each than its words. */
function choicesOf({ answer, message, finish_reason }: ChatReply): readonly unknown[] {
  if (Array.isArray(answer?.choices)) return answer.choices
  return [{ index: 0, message, logprobs: null, finish_reason: finish_reason ?? 'stop' }]
}

/** How long the provider asks to be left alone is for the client to know. */
const patienceOf = ({ retry }: ModelError): Readonly<Record<string, string>> =>
  retry?.afterMs ? { 'retry-after': String(Math.ceil(retry.afterMs / 1_000)) } : {}

/** The answer piece by piece; one that is refused before its first piece has the status that says why. */
export async function streamedAnswer(answering: Answering, withUsage: boolean): Promise<Response> {
  const { model, headers } = answering
  const { first, parts } = await begun(answering.parts)
  if (first?.type === 'failed') return failedAnswer(first.error, headers)
  const id = `chatcmpl-${randomUUID()}`
  const created = Math.floor(Date.now() / 1_000)
  return sseAnswer(answering, async (write) => {
    const send = (data: object) => write(`data: ${JSON.stringify(data)}\n\n`)
    // Also when nobody listens any more it is read to its end, so that what it took is kept.
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

/** The first part, and all of them. Whoever leaves after the first is through with it. */
async function begun(
  parts: AsyncIterable<GatewayPart>,
): Promise<{ readonly first: GatewayPart | undefined; readonly parts: AsyncIterable<GatewayPart> }> {
  const reading = parts[Symbol.asyncIterator]()
  const { value: first, done } = await reading.next()
  if (done || first.type === 'failed') await reading.return?.()
  return { first: done ? undefined : first, parts: following(done ? [] : [first], reading) }
}

async function* following(
  known: readonly GatewayPart[],
  reading: AsyncIterator<GatewayPart>,
): AsyncGenerator<GatewayPart, undefined> {
  yield* known
  for (let next = await reading.next(); !next.done; next = await reading.next()) yield next.value
}

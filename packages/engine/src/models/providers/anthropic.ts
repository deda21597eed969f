import type Anthropic from '@anthropic-ai/sdk'
import { failure, success } from '@panoptes/schema/result'
import { anthropicRequest } from './anthropic-request.ts'
import { anthropicPieces } from './anthropic-stream.ts'
import { brokenOff, modelError, tooLarge } from './errors.ts'
import { Gathered } from './gather.ts'
import type { EndpointOptions } from './openai.ts'
import { createPatience } from './patience.ts'
import type { ChatAsk, ChatOptions, ChatPart, Provider } from './port.ts'

/** Anthropic's own wire. It always streams, since long answers are not given otherwise. */
export function anthropicProvider(endpoint: EndpointOptions): Provider {
  const { name } = endpoint
  const clientOf = clients(endpoint)
  return {
    name,
    kind: 'anthropic',
    chat: (ask, options) => chat(clientOf, endpoint, ask, options),
    models: async (signal) => {
      try {
        const client = await clientOf()
        const page = await client.models.list(
          { limit: 1_000 },
          { maxRetries: 0, ...(signal ? { signal } : {}) },
        )
        return success(page.data.map(({ id }) => id))
      } catch (error) {
        const { message } = modelError(error, { aborted: () => false, timedOut: () => false }, new Gathered())
        return failure('io', `${name} did not tell its models: ${message}`)
      }
    },
  }
}

function clients({ baseUrl, apiKey, retries }: EndpointOptions): () => Promise<Anthropic> {
  let made: { readonly key: string | undefined; readonly client: Anthropic } | undefined
  return async () => {
    const key = apiKey()
    if (made && made.key === key) return made.client
    const { default: Client } = await import('@anthropic-ai/sdk')
    const client = new Client({
      apiKey: key ?? 'none',
      authToken: null,
      baseURL: baseUrl ?? 'https://api.anthropic.com',
      maxRetries: retries,
      logLevel: 'off',
    })
    made = { key, client }
    return client
  }
}

async function* chat(
  clientOf: () => Promise<Anthropic>,
  endpoint: EndpointOptions,
  ask: ChatAsk,
  { signal, stream, timeoutMs = endpoint.timeoutMs }: ChatOptions,
): AsyncGenerator<ChatPart, undefined> {
  const gathered = new Gathered()
  const pieces = anthropicPieces()
  const patience = createPatience(signal, timeoutMs)
  try {
    const client = await clientOf()
    const asked = { signal: patience.signal, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) }
    const answer: unknown = await client.messages.create(anthropicRequest(ask) as never, asked)
    patience.heard()
    for await (const event of answer as AsyncIterable<Readonly<Record<string, unknown>>>) {
      patience.heard()
      const chunk = pieces.piece(event)
      gathered.usage = pieces.usage()
      if (chunk === undefined) continue
      gathered.add(chunk)
      if (gathered.isTooLarge()) {
        yield { type: 'failed', error: tooLarge(gathered) }
        return
      }
      if (stream) yield { type: 'chunk', chunk }
    }
    if (patience.signal.aborted) throw new Error('stopped')
    if (gathered.finishReason === null) {
      yield { type: 'failed', error: brokenOff(gathered) }
      return
    }
    const reply = gathered.reply()
    if (!stream)
      yield {
        type: 'chunk',
        chunk: { choices: [{ index: 0, delta: { ...reply.message }, finish_reason: reply.finish_reason }] },
      }
    yield { type: 'end', reply }
  } catch (error) {
    yield { type: 'failed', error: modelError(error, patience, gathered) }
  } finally {
    patience.end()
  }
}

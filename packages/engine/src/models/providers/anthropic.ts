import type Anthropic from '@anthropic-ai/sdk'
import { failure, success } from '@panoptes/schema/result'
import { anthropicRequest } from './anthropic-request.ts'
import { anthropicPieces, eventsOf } from './anthropic-stream.ts'
import { KeptThoughts } from './anthropic-thoughts.ts'
import { brokenOff, modelError, tooLarge } from './errors.ts'
import { Gathered } from './gather.ts'
import { type EndpointOptions, idsOf, USUAL_TIMEOUT_MS } from './openai.ts'
import { createPatience } from './patience.ts'
import type { ChatAsk, ChatOptions, ChatPart, Provider } from './port.ts'
import { withRetries } from './retries.ts'
import { patientFetch, withoutVariables } from './sdk.ts'

/** Anthropic's own wire. It always streams, since long answers are not given otherwise. */
export function anthropicProvider(endpoint: EndpointOptions): Provider {
  const { name } = endpoint
  const clientOf = clients(endpoint)
  const kept = new KeptThoughts()
  return {
    name,
    kind: 'anthropic',
    chat: (ask, options) =>
      withRetries(() => chat({ clientOf, endpoint, kept }, ask, options), {
        retries: endpoint.retries,
        signal: options.signal,
      }),
    models: async (signal) => {
      try {
        const client = await clientOf()
        const page = await client.models.list(
          { limit: 1_000 },
          { maxRetries: 0, ...(signal ? { signal } : {}) },
        )
        return success(idsOf(page.data))
      } catch (error) {
        const { message } = modelError(error, NEVER, new Gathered(), endpoint.apiKey())
        return failure('io', `${name} did not tell its models: ${message}`)
      }
    },
  }
}

const NEVER = { aborted: () => false, timedOut: () => false }
const LONGEST_TIMEOUT_MS = 2_147_483_647

function clients({ baseUrl, apiKey }: EndpointOptions): () => Promise<Anthropic> {
  let made: { readonly key: string | undefined; readonly client: Anthropic } | undefined
  return async () => {
    const key = apiKey()
    if (made && made.key === key) return made.client
    const { default: Client } = await import('@anthropic-ai/sdk')
    const client = withoutVariables(
      () =>
        new Client({
          apiKey: key ?? 'none',
          // The SDK gives the key as a bearer's alone; many who speak this wire know only the header of its own.
          defaultHeaders: key === undefined ? { authorization: null } : { 'x-api-key': key },
          authToken: null,
          baseURL: baseUrl ?? 'https://api.anthropic.com',
          maxRetries: 0,
          logLevel: 'off',
          openTelemetry: { traces: false, propagation: false },
          fetchOptions: patientFetch(),
        }),
    )
    made = { key, client }
    return client
  }
}

type Events = AsyncIterable<Readonly<Record<string, unknown>>>

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

interface Place {
  readonly clientOf: () => Promise<Anthropic>
  readonly endpoint: EndpointOptions
  readonly kept: KeptThoughts
}

async function* chat(
  { clientOf, endpoint, kept }: Place,
  ask: ChatAsk,
  { signal, stream, brief, session = '', timeoutMs = endpoint.timeoutMs ?? USUAL_TIMEOUT_MS }: ChatOptions,
): AsyncGenerator<ChatPart, undefined> {
  const gathered = new Gathered()
  const pieces = anthropicPieces()
  const patience = createPatience(signal, timeoutMs)
  try {
    if (patience.signal.aborted) throw new Error('stopped')
    const client = await clientOf()
    // Its own clock would not start anew with a sign of life.
    const asked = { signal: patience.signal, timeout: LONGEST_TIMEOUT_MS }
    const request = anthropicRequest(ask, (calls) => kept.of(session, calls))
    const { data, response } = await client.messages.create(request as never, asked).withResponse()
    patience.heard()
    // Some give all at once, whatever was asked.
    const isWhole = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    const events = isWhole ? eventsOf(fieldsOf(await response.json())) : (data as unknown as Events)
    for await (const event of events) {
      patience.heard()
      const chunk = pieces.piece(event)
      gathered.usage = pieces.usage()
      gathered.told = pieces.told()
      if (chunk === undefined) continue
      gathered.add(chunk)
      if (gathered.isTooLarge()) {
        yield { type: 'failed', error: tooLarge(gathered) }
        return
      }
      if (stream && (!brief || gathered.begins(chunk))) yield { type: 'chunk', chunk }
    }
    if (patience.signal.aborted) throw new Error('stopped')
    if (gathered.finishReason === null) {
      yield { type: 'failed', error: brokenOff(gathered) }
      return
    }
    const reply = gathered.reply()
    kept.keep(session, reply.message.tool_calls, reply.message.reasoning_details)
    if (!stream)
      yield {
        type: 'chunk',
        chunk: { choices: [{ index: 0, delta: { ...reply.message }, finish_reason: reply.finish_reason }] },
      }
    yield { type: 'end', reply }
  } catch (error) {
    yield { type: 'failed', error: modelError(error, patience, gathered, endpoint.apiKey()) }
  } finally {
    patience.end()
  }
}

import type Anthropic from '@anthropic-ai/sdk'
import type { TokenUsage } from '@panoptes/schema'
import { type Fields, toFields } from '@panoptes/schema/plain-object'
import { failure, success } from '@panoptes/schema/result'
import { anthropicRequest } from './anthropic-request.ts'
import { asDetail, ThoughtCache } from './anthropic-thoughts.ts'
import { createCutOffError, createTooLargeError, modelError } from './errors.ts'
import { createIdleTimeout } from './idle-timeout.ts'
import { DEFAULT_TIMEOUT_MS, type EndpointOptions, modelIds } from './openai.ts'
import type { ChatAsk, ChatChunk, ChatOptions, ChatPart, Provider } from './port.ts'
import { ReplyAssembler } from './reply-assembler.ts'
import { withRetries } from './retries.ts'
import { createFetchOptions, createWithoutVariables } from './sdk.ts'
import { anthropicUsage } from './usage.ts'

/**
 * A provider with Anthropic's API. It always streams, because long answers are not available
 * otherwise.
 */
export function anthropicProvider(endpoint: EndpointOptions): Provider {
  const { name } = endpoint
  const getClient = clients(endpoint)
  const thoughtCache = new ThoughtCache()
  return {
    name,
    kind: 'anthropic',
    chat: (ask, options) =>
      withRetries(() => chat({ getClient, endpoint, thoughtCache }, ask, options), {
        retries: endpoint.retries,
        signal: options.signal,
      }),
    models: async (signal) => {
      try {
        const client = await getClient()
        const page = await client.models.list(
          { limit: 1_000 },
          { maxRetries: 0, ...(signal ? { signal } : {}) },
        )
        return success(modelIds(page.data))
      } catch (error) {
        const { message } = modelError(error, NEVER, new ReplyAssembler(), endpoint.apiKey())
        return failure('io', `${name} did not list its models: ${message}`)
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
    const client = createWithoutVariables(
      () =>
        new Client({
          apiKey: key ?? 'none',
          // The SDK would send the key as a bearer token only, but many compatible servers accept
          // only the `x-api-key` header.
          defaultHeaders: key === undefined ? { authorization: null } : { 'x-api-key': key },
          authToken: null,
          baseURL: baseUrl ?? 'https://api.anthropic.com',
          maxRetries: 0,
          logLevel: 'off',
          openTelemetry: { traces: false, propagation: false },
          fetchOptions: createFetchOptions(),
        }),
    )
    made = { key, client }
    return client
  }
}

type Events = AsyncIterable<Readonly<Record<string, unknown>>>

interface Place {
  readonly getClient: () => Promise<Anthropic>
  readonly endpoint: EndpointOptions
  readonly thoughtCache: ThoughtCache
}

async function* chat(
  { getClient: clientOf, endpoint, thoughtCache: kept }: Place,
  ask: ChatAsk,
  { signal, stream, brief, session = '', timeoutMs = endpoint.timeoutMs ?? DEFAULT_TIMEOUT_MS }: ChatOptions,
): AsyncGenerator<ChatPart, undefined> {
  const gathered = new ReplyAssembler()
  const pieces = createAnthropicTranslator()
  const idleTimeout = createIdleTimeout(signal, timeoutMs)
  try {
    if (idleTimeout.signal.aborted) throw new Error('stopped')
    const client = await clientOf()
    // The SDK's own timeout would not restart with each keep-alive.
    const requestOptions = { signal: idleTimeout.signal, timeout: LONGEST_TIMEOUT_MS }
    const request = anthropicRequest(ask, (calls) => kept.of(session, calls))
    const { data, response } = await client.messages.create(request as never, requestOptions).withResponse()
    idleTimeout.heard()
    // Some servers answer with plain JSON although a stream was requested.
    const isWhole = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    const events = isWhole ? messageEvents(toFields(await response.json())) : (data as unknown as Events)
    for await (const event of events) {
      idleTimeout.heard()
      const chunk = pieces.piece(event)
      gathered.usage = pieces.usage()
      gathered.rawUsage = pieces.rawUsage()
      if (chunk === undefined) continue
      gathered.add(chunk)
      if (gathered.isTooLarge()) {
        yield { type: 'failed', error: createTooLargeError(gathered) }
        return
      }
      if (stream && (!brief || gathered.isFirstContent(chunk))) yield { type: 'chunk', chunk }
    }
    if (idleTimeout.signal.aborted) throw new Error('stopped')
    if (gathered.finishReason === null) {
      yield { type: 'failed', error: createCutOffError(gathered) }
      return
    }
    const reply = gathered.reply()
    kept.store(session, reply.message.tool_calls, reply.message.reasoning_details)
    if (!stream)
      yield {
        type: 'chunk',
        chunk: { choices: [{ index: 0, delta: { ...reply.message }, finish_reason: reply.finish_reason }] },
      }
    yield { type: 'end', reply }
  } catch (error) {
    yield { type: 'failed', error: modelError(error, idleTimeout, gathered, endpoint.apiKey()) }
  } finally {
    idleTimeout.end()
  }
}

const FINISHED: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** Translates Anthropic's stream events into OpenAI chunks. */
export function createAnthropicTranslator() {
  let model: unknown = null
  let id: unknown = null
  let rawUsage: Fields = {}
  /** Maps a content block to the index of its call. */
  const calls = new Map<unknown, number>()
  const silent = new Set<unknown>()
  /** Thinking blocks in progress. */
  const thinking = new Map<unknown, { type: 'thinking'; thinking: string; signature?: string }>()
  let thoughts = 0
  let hasWords = false
  const createChunk = (delta: Fields, finish_reason: string | null = null): ChatChunk => ({
    id,
    object: 'chat.completion.chunk',
    model,
    choices: [{ index: 0, delta, finish_reason }],
  })
  const toTextChunk = (text: unknown): ChatChunk => {
    hasWords ||= typeof text === 'string' && text.trim() !== ''
    return createChunk({ content: text })
  }
  /**
   * The index counts thoughts, texts and calls together, because that is how they are reassembled.
   */
  const toThoughtChunk = (block: Fields): ChatChunk => {
    const place = thoughts + (hasWords ? 1 : 0) + calls.size
    thoughts += 1
    return createChunk({ reasoning_details: [asDetail(block, place)] })
  }
  const startThinking = (at: unknown, { thinking: words, signature }: Fields): ChatChunk | undefined => {
    const begun = typeof words === 'string' ? words : ''
    thinking.set(at, {
      type: 'thinking',
      thinking: begun,
      ...(typeof signature === 'string' && signature !== '' ? { signature } : {}),
    })
    return begun === '' ? undefined : createChunk({ reasoning_content: begun })
  }
  const continueThinking = (
    at: unknown,
    { type, thinking: words, signature }: Fields,
  ): ChatChunk | undefined => {
    const block = thinking.get(at)
    if (type === 'thinking_delta') {
      if (block && typeof words === 'string') block.thinking += words
      return createChunk({ reasoning_content: words })
    }
    if (block && typeof signature === 'string') block.signature = (block.signature ?? '') + signature
    return undefined
  }
  const endBlock = (at: unknown): ChatChunk | undefined => {
    // A call without parameters has no deltas; its arguments must still be valid JSON.
    if (silent.delete(at))
      return createChunk({ tool_calls: [{ index: calls.get(at), function: { arguments: '{}' } }] })
    const block = thinking.get(at)
    thinking.delete(at)
    return block && toThoughtChunk(block)
  }
  const startBlock = ({ index: at, content_block: block }: Fields): ChatChunk | undefined => {
    const { type, id: call, name, input, text } = (block ?? {}) as Fields
    if (type === 'text' && text) return toTextChunk(text)
    if (type === 'thinking') return startThinking(at, block as Fields)
    if (type === 'redacted_thinking') return toThoughtChunk(block as Fields)
    if (type !== 'tool_use') return undefined
    const index = calls.size
    calls.set(at, index)
    const args = Object.keys(input ?? {}).length > 0 ? JSON.stringify(input) : ''
    if (args === '') silent.add(at)
    return createChunk({
      tool_calls: [{ index, id: call, type: 'function', function: { name, arguments: args } }],
    })
  }
  const addDelta = ({ index: at, delta }: Fields): ChatChunk | undefined => {
    const { type, text, partial_json } = (delta ?? {}) as Fields
    if (type === 'text_delta') return toTextChunk(text)
    if (type === 'thinking_delta' || type === 'signature_delta') return continueThinking(at, delta as Fields)
    const index = calls.get(at)
    // Input for Anthropic's server-side tools is not a call for the client.
    if (type !== 'input_json_delta' || index === undefined) return undefined
    if (partial_json) silent.delete(at)
    return createChunk({ tool_calls: [{ index, function: { arguments: partial_json } }] })
  }
  return {
    usage: (): TokenUsage | null => anthropicUsage(rawUsage),
    rawUsage: (): Fields | undefined => (Object.keys(rawUsage).length > 0 ? rawUsage : undefined),
    piece: (event: Fields): ChatChunk | undefined => {
      if (event.type === 'message_start') {
        const message = (event.message ?? {}) as Fields
        ;({ model, id } = message)
        rawUsage = { ...(message.usage as object | undefined) }
        return createChunk({ role: 'assistant', content: '' })
      }
      if (event.type === 'content_block_start') return startBlock(event)
      if (event.type === 'content_block_delta') return addDelta(event)
      if (event.type === 'content_block_stop') return endBlock(event.index)
      if (event.type !== 'message_delta') return undefined
      rawUsage = { ...rawUsage, ...dropUndefined((event.usage ?? {}) as Fields) }
      const { stop_reason } = (event.delta ?? {}) as Fields
      if (typeof stop_reason !== 'string') return undefined
      return createChunk({}, FINISHED[stop_reason] ?? 'stop')
    },
  }
}

/** Fields missing at the end keep the values from the beginning. */
const dropUndefined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

/** Splits a whole answer into the events of a stream. */
function* messageEvents(message: Fields): Generator<Fields, undefined> {
  const { content, stop_reason, usage } = message
  yield { type: 'message_start', message }
  for (const [index, block] of (Array.isArray(content) ? content : []).entries()) {
    yield { type: 'content_block_start', index, content_block: block }
    yield { type: 'content_block_stop', index }
  }
  yield { type: 'message_delta', delta: { stop_reason }, usage }
}

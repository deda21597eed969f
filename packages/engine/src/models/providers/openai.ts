import { failure, success } from '@panoptes/schema/result'
import type OpenAI from 'openai'
import { createCutOffError, createTooLargeError, modelError } from './errors.ts'
import { createIdleTimeout } from './idle-timeout.ts'
import { readChunks } from './openai-stream.ts'
import type { ChatAsk, ChatChunk, ChatOptions, ChatPart, Provider } from './port.ts'
import { ReplyAssembler } from './reply-assembler.ts'
import { withRetries } from './retries.ts'
import { createFetchOptions, createWithoutVariables } from './sdk.ts'
import { openaiUsage } from './usage.ts'

export interface EndpointOptions {
  readonly name: string
  readonly baseUrl?: string | undefined
  /** Read with each call, because a key file may have changed. */
  readonly apiKey: () => string | undefined
  readonly retries: number
  readonly timeoutMs?: number | undefined
}

/** The default timeout: how long a provider may be silent before a call is given up. */
export const DEFAULT_TIMEOUT_MS = 900_000
const MOST_MODELS = 10_000

/** Returns the names in a list of models. */
export const modelIds = (data: readonly { readonly id?: unknown }[]): readonly string[] =>
  data.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])).slice(0, MOST_MODELS)

/** A provider with OpenAI's API. Unknown parameters pass unchanged. */
export function openaiProvider(endpoint: EndpointOptions): Provider {
  const { name } = endpoint
  const getClient = clients(endpoint)
  return {
    name,
    kind: 'openai',
    chat: (ask, options) =>
      withRetries(() => chat(getClient, endpoint, ask, options), {
        retries: endpoint.retries,
        signal: options.signal,
      }),
    models: async (signal) => {
      try {
        const client = await getClient()
        const page = await client.models.list({ maxRetries: 0, ...(signal ? { signal } : {}) })
        return success(modelIds(page.data))
      } catch (error) {
        const { message } = modelError(error, NEVER, new ReplyAssembler(), endpoint.apiKey())
        return failure('io', `${name} did not list its models: ${message}`)
      }
    },
  }
}

const NEVER = { aborted: () => false, timedOut: () => false }

/** Creates one client per key. Without a key, none is sent. */
function clients({ baseUrl, apiKey }: EndpointOptions): () => Promise<OpenAI> {
  let made: { readonly key: string | undefined; readonly client: OpenAI } | undefined
  return async () => {
    const key = apiKey()
    if (made && made.key === key) return made.client
    const { default: Client } = await import('openai')
    const client = createWithoutVariables(
      () =>
        new Client({
          apiKey: key ?? 'none',
          ...(key === undefined ? { defaultHeaders: { authorization: null } } : {}),
          baseURL: baseUrl ?? 'https://api.openai.com/v1',
          maxRetries: 0,
          organization: null,
          project: null,
          logLevel: 'off',
          fetch: reusingFetch,
          fetchOptions: createFetchOptions(),
        }),
    )
    made = { key, client }
    return client
  }
}

type Whole = { readonly choices?: readonly Record<string, unknown>[]; readonly [field: string]: unknown }

async function* chat(
  getClient: () => Promise<OpenAI>,
  endpoint: EndpointOptions,
  { model, messages, rest = {} }: ChatAsk,
  { signal, stream, brief, timeoutMs = endpoint.timeoutMs ?? DEFAULT_TIMEOUT_MS }: ChatOptions,
): AsyncGenerator<ChatPart, undefined> {
  const gathered = new ReplyAssembler()
  const idleTimeout = createIdleTimeout(signal, timeoutMs)
  let whole: Whole | undefined
  let isOver = false
  try {
    if (idleTimeout.signal.aborted) throw new Error('stopped')
    const client = await getClient()
    const body = { ...rest, model, messages, ...(stream ? streamParameters(rest) : { stream: false }) }
    // The SDK's own timeout would not restart with each keep-alive.
    const requestOptions = { signal: idleTimeout.signal, timeout: LONGEST_TIMEOUT_MS }
    const response = await client.chat.completions.create(body as never, requestOptions).asResponse()
    idleTimeout.heard()
    // Some servers answer with plain JSON although a stream was requested.
    const isWhole = !stream || /\bjson\b/.test(response.headers.get('content-type') ?? '')
    if (!isWhole) {
      for await (const chunks of readChunks(response, idleTimeout.heard))
        for (const chunk of chunks) {
          gathered.add(chunk)
          if (chunk.usage) recordUsage(gathered, chunk.usage)
          if (gathered.isTooLarge()) {
            yield { type: 'failed', error: createTooLargeError(gathered) }
            return
          }
          if (!brief || gathered.isFirstContent(chunk)) yield { type: 'chunk', chunk }
        }
      if (gathered.finishReason === null) {
        yield { type: 'failed', error: createCutOffError(gathered) }
        return
      }
    } else {
      whole = (await response.json()) as Whole
      const chunk = toWholeChunk(whole)
      if (chunk === undefined) throw createNoAnswerError(whole)
      gathered.add(chunk)
      recordUsage(gathered, whole.usage)
      yield { type: 'chunk', chunk }
    }
    isOver = true
    yield { type: 'end', reply: { ...gathered.reply(), ...(whole ? { answer: whole } : {}) } }
  } catch (error) {
    yield { type: 'failed', error: modelError(error, idleTimeout, gathered, endpoint.apiKey()) }
  } finally {
    idleTimeout.end()
    if (!isOver) idleTimeout.stop()
  }
}

function recordUsage(gathered: ReplyAssembler, rawUsage: unknown): void {
  gathered.usage = openaiUsage(rawUsage) ?? gathered.usage
  if (typeof rawUsage === 'object' && rawUsage !== null)
    gathered.rawUsage = rawUsage as Record<string, unknown>
}

const LONGEST_TIMEOUT_MS = 2_147_483_647

/** The error for a body that is not an answer: an unlabelled error, or nothing useful. */
function createNoAnswerError(whole: Whole): Error {
  const { message, code } = (whole?.error ?? {}) as { message?: unknown; code?: unknown }
  return typeof message === 'string'
    ? Object.assign(new Error(message), { code })
    : new SyntaxError('The answer contains no choices.')
}

const streamParameters = (rest: Readonly<Record<string, unknown>>) => ({
  stream: true,
  stream_options: { ...(rest.stream_options as object | undefined), include_usage: true },
})

/** Turns a whole answer into one chunk. */
function toWholeChunk(answer: Whole): ChatChunk | undefined {
  const choices = Array.isArray(answer?.choices) ? answer.choices : []
  if (choices.length === 0) return undefined
  return { ...answer, object: 'chat.completion.chunk', choices: choices.map(toWholeChoice) }
}

function toWholeChoice(choice: Record<string, unknown>, at: number): ChatChunk['choices'][number] {
  const { message, finish_reason, index, ...others } = choice ?? {}
  const { tool_calls: calls, ...delta } = (message ?? {}) as { tool_calls?: unknown }
  const indexed = Array.isArray(calls) ? calls.map((call, index) => ({ ...call, index })) : undefined
  return {
    ...others,
    index: typeof index === 'number' ? index : at,
    delta: { ...delta, ...(indexed ? { tool_calls: indexed } : {}) },
    finish_reason: typeof finish_reason === 'string' ? finish_reason : 'stop',
  }
}

/** Limits for draining what follows the last line of an answer. */
const MOST_BYTES = 65_536
const MOST_MS = 1_000

/**
 * Keeps connections reusable. An SDK stops reading a stream at its last line, just before it ends,
 * and Node closes a connection whose body was not read to the end. This drains the rest, so that
 * the next call can reuse the connection. An abort still closes it.
 */
export const reusingFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const { body } = response
  if (body !== null) drainOnCancel(body)
  return response
}

type Body = ReadableStream<Uint8Array>

function drainOnCancel(body: Body): void {
  const getReader = body.getReader.bind(body) as () => ReadableStreamDefaultReader<Uint8Array>
  const reader = () => {
    const made = getReader()
    // The lock is released first, because only one reader can read at a time.
    made.cancel = async () => void setImmediate(() => drainBody(body, getReader))
    return made
  }
  body.getReader = reader as Body['getReader']
}

async function drainBody(
  body: Body,
  getReader: () => ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  if (body.locked) return
  const reader = getReader()
  const leave = () => void reader.cancel().catch(() => {})
  const clock = setTimeout(leave, MOST_MS)
  try {
    for (let bytes = 0; bytes <= MOST_BYTES; ) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.length
    }
    leave()
  } catch {
    // The stream ended with an error; there is nothing left to drain.
  } finally {
    clearTimeout(clock)
  }
}

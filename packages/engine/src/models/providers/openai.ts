import { failure, success } from '@panoptes/schema/result'
import type OpenAI from 'openai'
import { brokenOff, modelError, tooLarge } from './errors.ts'
import { Gathered } from './gather.ts'
import { streamedChunks } from './openai-stream.ts'
import { createPatience } from './patience.ts'
import type { ChatAsk, ChatChunk, ChatOptions, ChatPart, Provider } from './port.ts'
import { withRetries } from './retries.ts'
import { reusingFetch } from './reusing-fetch.ts'
import { patientFetch, withoutVariables } from './sdk.ts'
import { openaiUsage } from './usage.ts'

export interface EndpointOptions {
  readonly name: string
  readonly baseUrl?: string | undefined
  /** Asked for with each call, since a file may hold another one by then. */
  readonly apiKey: () => string | undefined
  readonly retries: number
  readonly timeoutMs?: number | undefined
}

/** So long nobody says anything before a call is given up, where the config says nothing else. */
export const USUAL_TIMEOUT_MS = 900_000
const MOST_MODELS = 10_000

/** The names in a list of models. */
export const idsOf = (data: readonly { readonly id?: unknown }[]): readonly string[] =>
  data.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])).slice(0, MOST_MODELS)

/** OpenAI, and whoever speaks like it. Parameters that are not known here pass as they came. */
export function openaiProvider(endpoint: EndpointOptions): Provider {
  const { name } = endpoint
  const clientOf = clients(endpoint)
  return {
    name,
    kind: 'openai',
    chat: (ask, options) =>
      withRetries(() => chat(clientOf, endpoint, ask, options), {
        retries: endpoint.retries,
        signal: options.signal,
      }),
    models: async (signal) => {
      try {
        const client = await clientOf()
        const page = await client.models.list({ maxRetries: 0, ...(signal ? { signal } : {}) })
        return success(idsOf(page.data))
      } catch (error) {
        const { message } = modelError(error, NEVER, new Gathered(), endpoint.apiKey())
        return failure('io', `${name} did not tell its models: ${message}`)
      }
    },
  }
}

const NEVER = { aborted: () => false, timedOut: () => false }

/** One client for each key. Without a key none is sent. */
function clients({ baseUrl, apiKey }: EndpointOptions): () => Promise<OpenAI> {
  let made: { readonly key: string | undefined; readonly client: OpenAI } | undefined
  return async () => {
    const key = apiKey()
    if (made && made.key === key) return made.client
    const { default: Client } = await import('openai')
    const client = withoutVariables(
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
          fetchOptions: patientFetch(),
        }),
    )
    made = { key, client }
    return client
  }
}

type Whole = { readonly choices?: readonly Record<string, unknown>[]; readonly [field: string]: unknown }

async function* chat(
  clientOf: () => Promise<OpenAI>,
  endpoint: EndpointOptions,
  { model, messages, rest = {} }: ChatAsk,
  { signal, stream, brief, timeoutMs = endpoint.timeoutMs ?? USUAL_TIMEOUT_MS }: ChatOptions,
): AsyncGenerator<ChatPart, undefined> {
  const gathered = new Gathered()
  const patience = createPatience(signal, timeoutMs)
  let whole: Whole | undefined
  let isOver = false
  try {
    if (patience.signal.aborted) throw new Error('stopped')
    const client = await clientOf()
    const body = { ...rest, model, messages, ...(stream ? streaming(rest) : { stream: false }) }
    // Its own clock would not start anew with a sign of life.
    const asked = { signal: patience.signal, timeout: LONGEST_TIMEOUT_MS }
    const response = await client.chat.completions.create(body as never, asked).asResponse()
    patience.heard()
    // Some give all at once, whatever was asked.
    const isWhole = !stream || /\bjson\b/.test(response.headers.get('content-type') ?? '')
    if (!isWhole) {
      for await (const chunks of streamedChunks(response, patience.heard))
        for (const chunk of chunks) {
          gathered.add(chunk)
          if (chunk.usage) taken(gathered, chunk.usage)
          if (gathered.isTooLarge()) {
            yield { type: 'failed', error: tooLarge(gathered) }
            return
          }
          if (!brief || gathered.begins(chunk)) yield { type: 'chunk', chunk }
        }
      if (gathered.finishReason === null) {
        yield { type: 'failed', error: brokenOff(gathered) }
        return
      }
    } else {
      whole = (await response.json()) as Whole
      const chunk = wholeChunk(whole)
      if (chunk === undefined) throw noAnswer(whole)
      gathered.add(chunk)
      taken(gathered, whole.usage)
      yield { type: 'chunk', chunk }
    }
    isOver = true
    yield { type: 'end', reply: { ...gathered.reply(), ...(whole ? { answer: whole } : {}) } }
  } catch (error) {
    yield { type: 'failed', error: modelError(error, patience, gathered, endpoint.apiKey()) }
  } finally {
    patience.end()
    if (!isOver) patience.stop()
  }
}

function taken(gathered: Gathered, told: unknown): void {
  gathered.usage = openaiUsage(told) ?? gathered.usage
  if (typeof told === 'object' && told !== null) gathered.told = told as Record<string, unknown>
}

const LONGEST_TIMEOUT_MS = 2_147_483_647

/** What came instead of an answer: an error that is called none, or nothing of use. */
function noAnswer(whole: Whole): Error {
  const { message, code } = (whole?.error ?? {}) as { message?: unknown; code?: unknown }
  return typeof message === 'string'
    ? Object.assign(new Error(message), { code })
    : new SyntaxError('The answer holds no choice.')
}

const streaming = (rest: Readonly<Record<string, unknown>>) => ({
  stream: true,
  stream_options: { ...(rest.stream_options as object | undefined), include_usage: true },
})

/** A whole answer as one piece. */
function wholeChunk(answer: Whole): ChatChunk | undefined {
  const choices = Array.isArray(answer?.choices) ? answer.choices : []
  if (choices.length === 0) return undefined
  return { ...answer, object: 'chat.completion.chunk', choices: choices.map(wholeChoice) }
}

function wholeChoice(choice: Record<string, unknown>, at: number): ChatChunk['choices'][number] {
  const { message, finish_reason, index, ...others } = choice ?? {}
  const { tool_calls: calls, ...said } = (message ?? {}) as { tool_calls?: unknown }
  const indexed = Array.isArray(calls) ? calls.map((call, index) => ({ ...call, index })) : undefined
  return {
    ...others,
    index: typeof index === 'number' ? index : at,
    delta: { ...said, ...(indexed ? { tool_calls: indexed } : {}) },
    finish_reason: typeof finish_reason === 'string' ? finish_reason : 'stop',
  }
}

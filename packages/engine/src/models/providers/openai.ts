import { failure, success } from '@panoptes/schema/result'
import type OpenAI from 'openai'
import { brokenOff, modelError, tooLarge } from './errors.ts'
import { Gathered } from './gather.ts'
import { createPatience } from './patience.ts'
import type { ChatAsk, ChatChunk, ChatOptions, ChatPart, Provider } from './port.ts'
import { openaiUsage } from './usage.ts'

export interface EndpointOptions {
  readonly name: string
  readonly baseUrl?: string | undefined
  /** Asked for with each call, since a file may hold another one by then. */
  readonly apiKey: () => string | undefined
  readonly retries: number
  readonly timeoutMs?: number | undefined
}

/** OpenAI, and whoever speaks like it. Parameters that are not known here pass as they came. */
export function openaiProvider(endpoint: EndpointOptions): Provider {
  const { name } = endpoint
  const clientOf = clients(endpoint)
  return {
    name,
    kind: 'openai',
    chat: (ask, options) => chat(clientOf, endpoint, ask, options),
    models: async (signal) => {
      try {
        const client = await clientOf()
        const page = await client.models.list({ maxRetries: 0, ...(signal ? { signal } : {}) })
        return success(page.data.map(({ id }) => id))
      } catch (error) {
        const { message } = modelError(error, NEVER, new Gathered())
        return failure('io', `${name} did not tell its models: ${message}`)
      }
    },
  }
}

const NEVER = { aborted: () => false, timedOut: () => false }
const NO_KEY = 'none'

/** One client for each key. */
function clients({ baseUrl, apiKey, retries }: EndpointOptions): () => Promise<OpenAI> {
  let made: { readonly key: string; readonly client: OpenAI } | undefined
  return async () => {
    const key = apiKey() ?? NO_KEY
    if (made?.key === key) return made.client
    const { default: Client } = await import('openai')
    const client = new Client({
      apiKey: key,
      baseURL: baseUrl ?? 'https://api.openai.com/v1',
      maxRetries: retries,
      organization: null,
      project: null,
      logLevel: 'off',
    })
    made = { key, client }
    return client
  }
}

type Streamed = AsyncIterable<ChatChunk>
type Whole = { readonly choices?: readonly Record<string, unknown>[]; readonly [field: string]: unknown }

async function* chat(
  clientOf: () => Promise<OpenAI>,
  endpoint: EndpointOptions,
  { model, messages, rest = {} }: ChatAsk,
  { signal, stream, timeoutMs = endpoint.timeoutMs }: ChatOptions,
): AsyncGenerator<ChatPart, undefined> {
  const gathered = new Gathered()
  const patience = createPatience(signal, timeoutMs)
  try {
    const client = await clientOf()
    const body = { ...rest, model, messages, ...(stream ? streaming(rest) : { stream: false }) }
    const asked = { signal: patience.signal, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) }
    const answer: unknown = await client.chat.completions.create(body as never, asked)
    patience.heard()
    if (stream) {
      for await (const chunk of answer as Streamed) {
        patience.heard()
        const shaped = shapedChunk(chunk)
        if (shaped === undefined) throw new SyntaxError('The answer has a piece that is none.')
        gathered.add(shaped)
        gathered.usage = openaiUsage(shaped.usage) ?? gathered.usage
        if (gathered.isTooLarge()) {
          yield { type: 'failed', error: tooLarge(gathered) }
          return
        }
        yield { type: 'chunk', chunk: shaped }
      }
      if (patience.signal.aborted) throw new Error('stopped')
      if (gathered.finishReason === null) {
        yield { type: 'failed', error: brokenOff(gathered) }
        return
      }
    } else {
      const chunk = wholeChunk(answer as Whole)
      if (chunk === undefined) throw new SyntaxError('The answer holds no choice.')
      gathered.add(chunk)
      gathered.usage = openaiUsage((answer as Whole).usage)
      yield { type: 'chunk', chunk }
    }
    yield { type: 'end', reply: gathered.reply() }
  } catch (error) {
    yield { type: 'failed', error: modelError(error, patience, gathered) }
  } finally {
    patience.end()
  }
}

const streaming = (rest: Readonly<Record<string, unknown>>) => ({
  stream: true,
  stream_options: { ...(rest.stream_options as object | undefined), include_usage: true },
})

/** What came, if it is a piece of an answer at all. */
function shapedChunk(chunk: unknown): ChatChunk | undefined {
  if (typeof chunk !== 'object' || chunk === null) return undefined
  const { choices = [] } = chunk as { choices?: unknown }
  if (!Array.isArray(choices)) return undefined
  return {
    ...chunk,
    choices: choices.map((choice) => ({
      ...choice,
      index: choice?.index ?? 0,
      delta: choice?.delta ?? {},
      finish_reason: choice?.finish_reason ?? null,
    })),
  }
}

/** A whole answer as one piece. */
function wholeChunk(answer: Whole): ChatChunk | undefined {
  const [choice] = answer?.choices ?? []
  if (choice === undefined) return undefined
  const { message, finish_reason, index, ...others } = choice as Record<string, unknown>
  const { tool_calls: calls, ...said } = (message ?? {}) as { tool_calls?: readonly object[] }
  const indexed = calls?.map((call, at) => ({ ...call, index: at }))
  return {
    ...answer,
    object: 'chat.completion.chunk',
    choices: [
      {
        ...others,
        index: typeof index === 'number' ? index : 0,
        delta: { ...said, ...(indexed ? { tool_calls: indexed } : {}) },
        finish_reason: typeof finish_reason === 'string' ? finish_reason : 'stop',
      },
    ],
  }
}

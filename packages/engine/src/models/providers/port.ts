import type { ErrorClass, Result, TokenUsage } from '@panoptes/schema'

/** A message as OpenAI's chat completions have it; whatever else is in it stays. */
export interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly [field: string]: unknown
}

/** What a model is asked. `rest` are all other parameters of the request, known or not, as they came. */
export interface ChatAsk {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly rest?: Readonly<Record<string, unknown>> | undefined
}

/** A piece of an answer, as OpenAI's `chat.completion.chunk`; of another wire it is made into one. */
export interface ChatChunk {
  readonly choices: readonly {
    readonly index: number
    readonly delta: Readonly<Record<string, unknown>>
    readonly finish_reason: string | null
  }[]
  readonly [field: string]: unknown
}

/** A whole answer. */
export interface ChatReply {
  readonly message: ChatMessage
  /** Its words alone. */
  readonly text: string
  readonly finish_reason: string | null
  /** As the provider told it; null where it told nothing. */
  readonly usage: TokenUsage | null
  /** All that it told of what it took, in its own words. */
  readonly told?: Readonly<Record<string, unknown>> | undefined
  /** The model that the provider says answered. */
  readonly model: string | null
  /** All of a whole answer as it came, where its wire is OpenAI's. */
  readonly answer?: Readonly<Record<string, unknown>> | undefined
}

export interface ModelError {
  readonly class: ErrorClass
  /** For a person, without secrets. */
  readonly message: string
  readonly status: number | null
  /** What was said until then. */
  readonly partial: string
  readonly usage: TokenUsage | null
  /** It may pass: after how long, where the provider said. */
  readonly retry?: { readonly afterMs: number | null } | undefined
}

/** It ends with one `end` or one `failed`, and nothing follows it. */
export type ChatPart =
  | { readonly type: 'chunk'; readonly chunk: ChatChunk }
  | { readonly type: 'end'; readonly reply: ChatReply }
  | { readonly type: 'failed'; readonly error: ModelError }

export interface ChatOptions {
  readonly signal?: AbortSignal | undefined
  /** Without a sign of life for so long it is given up. */
  readonly timeoutMs?: number | undefined
  /** Without it the answer comes whole, as one chunk. */
  readonly stream: boolean
  /** Of its pieces only the first is given that says something: who waits for the whole needs no other. */
  readonly brief?: boolean | undefined
  /** What has to be remembered between calls is remembered for it. */
  readonly session?: string | undefined
}

/** Where models answer. No method throws; an abort closes the connection. */
export interface Provider {
  readonly name: string
  readonly kind: 'openai' | 'anthropic'
  readonly chat: (ask: ChatAsk, options: ChatOptions) => AsyncIterable<ChatPart>
  readonly models: (signal?: AbortSignal) => Promise<Result<readonly string[]>>
}

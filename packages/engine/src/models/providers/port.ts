import type { ErrorClass, Result, TokenUsage } from '@panoptes/schema'

/** A message in OpenAI's chat completions format; other fields are kept. */
export interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly [field: string]: unknown
}

/** A request to a model. `rest` contains all other parameters unchanged, known or not. */
export interface ChatAsk {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly rest?: Readonly<Record<string, unknown>> | undefined
}

/**
 * A part of an answer in the format of OpenAI's `chat.completion.chunk`; other formats are
 * translated into it.
 */
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
  /** The text of the answer. */
  readonly text: string
  readonly finish_reason: string | null
  /** The usage that the provider reported; null if it reported none. */
  readonly usage: TokenUsage | null
  /** The provider's own usage object. */
  readonly rawUsage?: Readonly<Record<string, unknown>> | undefined
  /** The model that the provider says answered. */
  readonly model: string | null
  /** The whole answer as received, for OpenAI-compatible providers. */
  readonly answer?: Readonly<Record<string, unknown>> | undefined
}

export interface ModelError {
  readonly class: ErrorClass
  /** An error text for people, without secrets. */
  readonly message: string
  readonly status: number | null
  /** The text received before the failure. */
  readonly partial: string
  readonly usage: TokenUsage | null
  /** Present if a retry may help; the delay is null if the provider gave none. */
  readonly retry?: { readonly afterMs: number | null } | undefined
}

/** Ends with one `end` or one `failed`, and nothing follows it. */
export type ChatPart =
  | { readonly type: 'chunk'; readonly chunk: ChatChunk }
  | { readonly type: 'end'; readonly reply: ChatReply }
  | { readonly type: 'failed'; readonly error: ModelError }

export interface ChatOptions {
  readonly signal?: AbortSignal | undefined
  /** The call is given up after this much silence. */
  readonly timeoutMs?: number | undefined
  /** If false, the answer arrives as one chunk. */
  readonly stream: boolean
  /**
   * Only the first chunk with content is passed on, for callers that wait for the whole answer
   * anyway.
   */
  readonly brief?: boolean | undefined
  /** The session for which state is kept between calls. */
  readonly session?: string | undefined
}

/** A provider of models. No method throws, and an abort closes the connection. */
export interface Provider {
  readonly name: string
  readonly kind: 'openai' | 'anthropic'
  readonly chat: (ask: ChatAsk, options: ChatOptions) => AsyncIterable<ChatPart>
  readonly models: (signal?: AbortSignal) => Promise<Result<readonly string[]>>
}

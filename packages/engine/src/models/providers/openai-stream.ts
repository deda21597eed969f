import { parseJson } from '@panoptes/schema/json'
import type { ChatChunk } from './port.ts'

const LAST = '[DONE]'
/** The maximum number of characters of one chunk. */
const MOST = 16_777_216

/**
 * Reads the chunks of a streamed answer, grouped as they arrive. The SDK's own reader passes each
 * chunk through four iterators, which took more time than the rest of a call.
 */
export async function* readChunks(
  { body, headers }: Response,
  heard: () => void,
): AsyncGenerator<readonly ChatChunk[], undefined> {
  if (body === null) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const events = new EventReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    heard()
    const chunks: ChatChunk[] = []
    let isLast = false
    let problem: unknown
    try {
      for (const { name, data } of events.take(decoder.decode(value, { stream: true }))) {
        isLast = data === LAST
        if (isLast) break
        chunks.push(toChunk(throwIfError(parsePiece(data), name, headers)))
      }
      if (events.waiting > MOST) throw new SyntaxError('The answer contains an unterminated event.')
    } catch (error) {
      problem = error
    }
    if (isLast) {
      // The rest of the body is read elsewhere, so that the connection can be reused.
      void reader.cancel()
      reader.releaseLock()
    }
    yield chunks
    if (problem !== undefined) throw problem
    if (isLast) return
  }
}

type StreamPiece = { readonly error?: unknown } | null

function parsePiece(data: string): StreamPiece {
  try {
    return parseJson(data) as StreamPiece
  } catch {
    throw new SyntaxError('The answer contains an event that is not JSON.')
  }
}

/** A provider may report an error in the middle of its answer. */
function throwIfError(piece: StreamPiece, name: string, headers: Headers): StreamPiece {
  const error = piece?.error || (name === 'error' ? piece : undefined)
  if (!error) return piece
  const { message, code } = error as { message?: unknown; code?: unknown }
  const words = typeof message === 'string' ? message : JSON.stringify(error)
  throw Object.assign(new Error(words), { code, headers })
}

type Choice = ChatChunk['choices'][number]

/** Validates that the data is a chunk of an answer. */
function toChunk(chunk: unknown): ChatChunk {
  const { choices = [] } = (chunk ?? {}) as { choices?: unknown }
  if (typeof chunk !== 'object' || chunk === null || !Array.isArray(choices))
    throw new SyntaxError('The answer contains an invalid event.')
  return choices === (chunk as ChatChunk).choices && choices.every(isChoice)
    ? (chunk as ChatChunk)
    : { ...chunk, choices: choices.map(toChoice) }
}

const isChoice = (choice: Partial<Choice> | null): boolean =>
  typeof choice?.index === 'number' &&
  typeof choice.delta === 'object' &&
  choice.delta !== null &&
  choice.finish_reason !== undefined

const toChoice = (choice: Partial<Choice> | null): Choice => ({
  ...choice,
  index: choice?.index ?? 0,
  delta: typeof choice?.delta === 'object' && choice.delta !== null ? choice.delta : {},
  finish_reason: choice?.finish_reason ?? null,
})

interface StreamEvent {
  /** The name of the event; empty if it has none. */
  readonly name: string
  readonly data: string
}

/** Parses server-sent events from text split anywhere. Only names and data are used. */
export class EventReader {
  #line = ''
  #name = ''
  #data: string | undefined
  #endsWithReturn = false

  /** Returns the events completed by this piece. */
  take(piece: string): readonly StreamEvent[] {
    if (piece === '') return []
    const isSplit = this.#endsWithReturn && piece.startsWith('\n')
    this.#endsWithReturn = piece.endsWith('\r')
    const text = isSplit ? piece.slice(1) : piece
    const lines = (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).split('\n')
    lines[0] = this.#line + lines[0]
    this.#line = lines.pop() ?? ''
    const events: StreamEvent[] = []
    for (const line of lines) {
      if (line !== '') this.#read(line)
      else {
        if (this.#data !== undefined) events.push({ name: this.#name, data: this.#data })
        this.#name = ''
        this.#data = undefined
      }
    }
    return events
  }

  /** Number of characters of the incomplete event. */
  get waiting(): number {
    return this.#line.length + (this.#data?.length ?? 0)
  }

  #read(line: string): void {
    if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5)
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    } else if (line.startsWith('event:')) this.#name = line.slice(6).trim()
  }
}

import { EventReader } from './event-stream.ts'
import type { ChatChunk } from './port.ts'

const LAST = '[DONE]'
/** Characters that one piece of an answer has at most. */
const MOST = 16_777_216

/**
 * The pieces of a streamed answer, those together that came at once. They are read here and not by the SDK: that passes each of them
 * through four iterators, which took more time than all else of a call.
 */
export async function* streamedChunks(
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
        chunks.push(shapedChunk(unlessError(parsed(data), name, headers)))
      }
      if (events.waiting > MOST) throw new SyntaxError('The answer has a piece that does not end.')
    } catch (error) {
      problem = error
    }
    if (isLast) {
      // What comes after it is read elsewhere, so that the connection can be used again.
      void reader.cancel()
      reader.releaseLock()
    }
    yield chunks
    if (problem !== undefined) throw problem
    if (isLast) return
  }
}

type Said = { readonly error?: unknown } | null

function parsed(data: string): Said {
  try {
    return JSON.parse(data)
  } catch {
    throw new SyntaxError('The answer has a piece that is no JSON.')
  }
}

/** A provider may say what is wrong in the middle of its answer. */
function unlessError(said: Said, name: string, headers: Headers): Said {
  const error = said?.error || (name === 'error' ? said : undefined)
  if (!error) return said
  const { message, code } = error as { message?: unknown; code?: unknown }
  const words = typeof message === 'string' ? message : JSON.stringify(error)
  throw Object.assign(new Error(words), { code, headers })
}

type Choice = ChatChunk['choices'][number]

/** What came, if it is a piece of an answer at all. */
function shapedChunk(chunk: unknown): ChatChunk {
  const { choices = [] } = (chunk ?? {}) as { choices?: unknown }
  if (typeof chunk !== 'object' || chunk === null || !Array.isArray(choices))
    throw new SyntaxError('The answer has a piece that is none.')
  return choices === (chunk as ChatChunk).choices && choices.every(isShaped)
    ? (chunk as ChatChunk)
    : { ...chunk, choices: choices.map(shapedChoice) }
}

const isShaped = (choice: Partial<Choice> | null): boolean =>
  typeof choice?.index === 'number' &&
  typeof choice.delta === 'object' &&
  choice.delta !== null &&
  choice.finish_reason !== undefined

const shapedChoice = (choice: Partial<Choice> | null): Choice => ({
  ...choice,
  index: choice?.index ?? 0,
  delta: typeof choice?.delta === 'object' && choice.delta !== null ? choice.delta : {},
  finish_reason: choice?.finish_reason ?? null,
})

import { parseJson } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { type SseFrame, SseReader } from '@panoptes/schema/sse'
import { type Fields, toText } from '../fields.ts'
import { createFailure, type RunFailure } from '../run-failure.ts'
import type { Reply } from './http-client.ts'

export interface StreamTimeouts {
  /** The maximum time without a byte; the server sends a keep-alive every half minute. */
  readonly quietMs: number
  /** The maximum time with nothing but keep-alives. */
  readonly silentMs: number
}

/** One event of Hermes. */
export interface HermesEvent {
  readonly name: string
  readonly data: Fields
}

/** The maximum number of characters of one event. */
const MOST_FRAME = 8_000_000

/** Reads a stream to its end; yields a failure if it breaks off, is late or unreadable. */
export async function* readEvents(
  { body, headers }: Reply,
  { quietMs, silentMs }: StreamTimeouts,
): AsyncGenerator<HermesEvent, RunFailure | null> {
  if (!/text\/event-stream/i.test(headers['content-type'] ?? '')) {
    body.destroy()
    return createFailure('malformed', 'The answer is not a Hermes stream.')
  }
  const reader = new SseReader()
  let why: 'quiet' | 'silent' | null = null
  const give = (reason: 'quiet' | 'silent') => () => {
    why = reason
    body.destroy()
  }
  const quiet = setTimeout(give('quiet'), quietMs)
  const silent = setTimeout(give('silent'), silentMs)
  try {
    body.setEncoding('utf8')
    for await (const piece of body as AsyncIterable<string>) {
      quiet.refresh()
      const frames = reader.take(piece)
      if (reader.waiting > MOST_FRAME)
        return createFailure('malformed', 'Hermes sent a message that is too large.')
      for (const frame of frames) {
        silent.refresh()
        const event = parseEvent(frame)
        if (event === null) return createFailure('malformed', 'Hermes sent an invalid answer.')
        yield event
      }
    }
    return why === null ? null : late(why, quietMs, silentMs)
  } catch {
    return why === null
      ? createFailure('died', 'Hermes stopped in the middle of its answer.')
      : late(why, quietMs, silentMs)
  } finally {
    clearTimeout(quiet)
    clearTimeout(silent)
    body.destroy()
  }
}

/** Older servers name an event only in its data. */
function parseEvent({ event, data }: SseFrame): HermesEvent | null {
  if (data.trim() === '[DONE]') return { name: '[DONE]', data: {} }
  try {
    const value: unknown = parseJson(data)
    if (!isPlainObject(value)) return null
    return { name: event || toText(value.event), data: value }
  } catch {
    return null
  }
}

const late = (why: 'quiet' | 'silent', quietMs: number, silentMs: number): RunFailure =>
  createFailure(
    'timed_out',
    why === 'quiet'
      ? `Hermes sent nothing for ${Math.ceil(quietMs / 1_000)} s.`
      : `Hermes sent no text for ${Math.ceil(silentMs / 1_000)} s.`,
  )

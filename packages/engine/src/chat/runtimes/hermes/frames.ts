import { type SseFrame, SseReader } from '@panoptes/schema/sse'
import { type Failed, failedWith } from '../failed.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import type { Reply } from './wire.ts'

export interface Patience {
  /** Without a byte: it sends a sign of life each half minute. */
  readonly quietMs: number
  /** With signs of life, and nothing else. */
  readonly silentMs: number
}

/** One event of Hermes'. */
export interface HermesEvent {
  readonly name: string
  readonly data: Fields
}

/** Characters of one event. */
const MOST_FRAME = 8_000_000

/** What a stream says, up to its end; a failure where it breaks off, is late, or says what nobody can read. */
export async function* eventsOf(
  { body, headers }: Reply,
  { quietMs, silentMs }: Patience,
): AsyncGenerator<HermesEvent, Failed | null> {
  if (!/text\/event-stream/i.test(headers['content-type'] ?? '')) {
    body.destroy()
    return failedWith('malformed', 'It is not a stream of Hermes that answers there.')
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
      if (reader.waiting > MOST_FRAME) return failedWith('malformed', 'Hermes said too much at once.')
      for (const frame of frames) {
        silent.refresh()
        const event = eventIn(frame)
        if (event === null) return failedWith('malformed', 'Hermes said what nobody can read.')
        yield event
      }
    }
    return why === null ? null : late(why, quietMs, silentMs)
  } catch {
    return why === null
      ? failedWith('died', 'Hermes broke off in the middle of its answer.')
      : late(why, quietMs, silentMs)
  } finally {
    clearTimeout(quiet)
    clearTimeout(silent)
    body.destroy()
  }
}

/** Older ones name an event in its data alone. */
function eventIn({ event, data }: SseFrame): HermesEvent | null {
  if (data.trim() === '[DONE]') return { name: '[DONE]', data: {} }
  try {
    const value: unknown = JSON.parse(data)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    const fields = fieldsOf(value)
    return { name: event || textOf(fields.event), data: fields }
  } catch {
    return null
  }
}

const late = (why: 'quiet' | 'silent', quietMs: number, silentMs: number): Failed =>
  failedWith(
    'timed_out',
    why === 'quiet'
      ? `Hermes gave no sign of life for ${Math.ceil(quietMs / 1_000)} s.`
      : `Hermes said nothing for ${Math.ceil(silentMs / 1_000)} s.`,
  )

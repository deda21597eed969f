import type { ChatEvent, ChatInput } from '@panoptes/schema'
import { SseReader } from '@panoptes/schema/sse'
import { getEvents, post, RequestFailure } from '../../api/request.ts'
import { backoff } from '../../stream/backoff.ts'
import { isTerminal, readEvent } from './read-event.ts'

export interface StreamOptions {
  readonly signal: AbortSignal
  /** Goes on after this event, `run-…:17`; without it a stream is told from its beginning. */
  readonly lastEventId?: string | undefined
  /** Whether events come now, or the next try waits. */
  readonly onLink?: ((link: 'open' | 'lost') => void) | undefined
  /** Asked where a stream ends without an end and without news: whether the run still goes on. */
  readonly stillRuns?: (() => Promise<boolean>) | undefined
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
  /** The server says something at least every 15 s. */
  readonly silenceMs?: number | undefined
}

const SILENCE_MS = 45_000
const MOST_OF_LINE = 32_000_000

/** Where in which run a reader is. */
interface Place {
  run: string | null
  seq: number
}

/**
 * The events of a run, each once and in order, over as many connections as it takes. With a message the run is begun by it,
 * otherwise the newest one is followed. It ends with the terminal event. What the server refuses is thrown.
 */
export async function* chatStream(
  conversation: string,
  input: ChatInputOnWire | null,
  options: StreamOptions,
): AsyncGenerator<ChatEvent, void> {
  const { signal, onLink, stillRuns = async () => true, wait = sleep } = options
  const path = `/api/conversations/${encodeURIComponent(conversation)}`
  const place = placeOf(options.lastEventId)
  let failures = 0
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const before = place.seq
    const posts = isFirst && input !== null
    try {
      const answer = posts
        ? await post(`${path}/chat`, input, signal)
        : await getEvents(`${path}/stream`, idOf(place), signal)
      onLink?.('open')
      for await (const event of eventsOf(answer, options.silenceMs ?? SILENCE_MS, signal)) {
        if (!isNext(place, event)) {
          if (event.data.run_id === place.run && event.data.seq > place.seq + 1) break
          continue
        }
        place.run = event.data.run_id
        place.seq = event.data.seq
        yield event
        if (isTerminal(event)) return
      }
      if (signal.aborted) return
      if (place.seq === before && !(await stillRuns())) return
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof RequestFailure && (posts || (error.status !== 0 && error.status < 500)))
        throw error
    }
    failures = place.seq > before ? 0 : failures + 1
    onLink?.('lost')
    if (failures > 0) await wait(backoff(failures), signal)
  }
}

export type ChatInputOnWire = Omit<ChatInput, 'files'> & { readonly files?: ChatInput['files'] }

function placeOf(id: string | undefined): Place {
  const cut = id?.lastIndexOf(':') ?? -1
  const seq = Number(id?.slice(cut + 1))
  return cut < 1 || !Number.isSafeInteger(seq)
    ? { run: null, seq: 0 }
    : { run: id?.slice(0, cut) ?? null, seq }
}

const idOf = ({ run, seq }: Place): string | null => (run === null ? null : `${run}:${seq}`)

const isNext = (place: Place, { data }: ChatEvent): boolean =>
  (place.run === null || place.run === data.run_id) && data.seq === place.seq + 1

/** The events of one connection, until it ends or falls silent. */
async function* eventsOf(
  answer: Response,
  silenceMs: number,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  if (!answer.body) return
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  const frames = new SseReader()
  try {
    while (!signal.aborted) {
      const read = await within(reader.read(), silenceMs)
      if (read === null || read.done) return
      for (const frame of frames.take(read.value)) {
        const event = readEvent(frame)
        if (event) yield event
      }
      if (frames.waiting > MOST_OF_LINE) return
    }
  } catch {
    // A connection that breaks is one that ended: the next one goes on from here.
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })

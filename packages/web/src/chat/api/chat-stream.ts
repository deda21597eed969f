import type { ChatEvent, ChatEventName, ChatInput } from '@panoptes/schema'
import type { SseFrame } from '@panoptes/schema/sse'
import { SseReader } from '@panoptes/schema/sse'
import { getEvents, post, RequestFailure } from '../../api/request.ts'
import { backoff } from '../../stream/backoff.ts'

const NAMES: readonly ChatEventName[] = ['metadata', 'progress', 'chunk', 'error', 'done']

export interface StreamOptions {
  readonly signal: AbortSignal
  /** Resumes after this event, such as `run-…:17`; without it the stream starts at its beginning. */
  readonly lastEventId?: string | undefined
  /** Reports whether the stream is connected or waits for the next try. */
  readonly onLink?: ((link: 'open' | 'lost') => void) | undefined
  /** Called when a stream ends without a terminal event or news, to ask whether the run is still going. */
  readonly stillRuns?: (() => Promise<boolean>) | undefined
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
  /** The server sends something at least every 15 s. */
  readonly silenceMs?: number | undefined
}

const SILENCE_MS = 45_000
const MOST_OF_LINE = 32_000_000

/** A reader's position: the run, and the event in it. */
interface Place {
  run: string | null
  seq: number
}

/**
 * Yields the events of a run once each and in order, across as many connections as needed. A message starts a new
 * run; without one the newest run is followed. It ends with the terminal event and throws what the server refuses.
 */
export async function* chatStream(
  conversation: string,
  input: ChatInputOnWire | null,
  options: StreamOptions,
): AsyncGenerator<ChatEvent, void> {
  const { signal, onLink, stillRuns = async () => true, wait = sleep } = options
  const path = `/api/conversations/${encodeURIComponent(conversation)}`
  const place = parsePlace(options.lastEventId)
  let failures = 0
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const before = place.seq
    const posts = isFirst && input !== null
    try {
      const answer = posts
        ? await post(`${path}/chat`, input, signal)
        : await getEvents(`${path}/stream`, eventId(place), signal)
      onLink?.('open')
      for await (const event of readEvents(answer, options.silenceMs ?? SILENCE_MS, signal)) {
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

function parsePlace(id: string | undefined): Place {
  const cut = id?.lastIndexOf(':') ?? -1
  const seq = Number(id?.slice(cut + 1))
  return cut < 1 || !Number.isSafeInteger(seq)
    ? { run: null, seq: 0 }
    : { run: id?.slice(0, cut) ?? null, seq }
}

const eventId = ({ run, seq }: Place): string | null => (run === null ? null : `${run}:${seq}`)

const isNext = (place: Place, { data }: ChatEvent): boolean =>
  (place.run === null || place.run === data.run_id) && data.seq === place.seq + 1

/** Yields the events of one connection until it ends or goes silent. */
async function* readEvents(
  answer: Response,
  silenceMs: number,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  if (!answer.body) return
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  const frames = new SseReader()
  try {
    while (!signal.aborted) {
      const read = await withTimeout(reader.read(), silenceMs)
      if (read === null || read.done) return
      for (const frame of frames.take(read.value)) {
        const event = readEvent(frame)
        if (event) yield event
      }
      if (frames.waiting > MOST_OF_LINE) return
    }
  } catch {
    // A broken connection counts as ended; the next one resumes from here.
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | null> {
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

/** Reads a stream event; null if it is not one. Only the fields that every event has are checked. */
export function readEvent({ event, data }: SseFrame): ChatEvent | null {
  const name = NAMES.find((one) => one === event)
  if (name === undefined) return null
  try {
    const fields = JSON.parse(data) as Partial<ChatEvent['data']> | null
    if (typeof fields !== 'object' || fields === null) return null
    if (typeof fields.run_id !== 'string' || !Number.isSafeInteger(fields.seq) || Number(fields.seq) < 1)
      return null
    if (name === 'chunk' && typeof (fields as { delta?: unknown }).delta !== 'string') return null
    return { event: name, data: fields } as ChatEvent
  } catch {
    return null
  }
}

export const isTerminal = ({ event }: ChatEvent): boolean => event === 'done' || event === 'error'

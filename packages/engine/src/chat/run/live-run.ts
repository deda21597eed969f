import type { ChatEvent, ChatEventName, ChatUsage, RuntimeId, SessionRef } from '@panoptes/schema'

/** The fields of an event besides its envelope. */
type Body<N extends ChatEventName> = Omit<
  Extract<ChatEvent, { event: N }>['data'],
  'v' | 'seq' | 'ts' | 'conversation_id' | 'run_id' | 'runtime'
>

export interface RunIdentity {
  readonly conversation_id: string
  readonly run_id: string
  readonly runtime: RuntimeId
}

/** Facts about an answer that its events do not contain. */
export interface RunUsage {
  readonly model: string | null
  readonly usage: ChatUsage | null
  readonly cost_micro_usd: number | null
}

/**
 * The events of a run, in order, for any number of readers at different positions. The server owns
 * the run, so it survives its readers.
 */
export class LiveRun {
  readonly identity: RunIdentity
  readonly #events: ChatEvent[] = []
  readonly #now: () => number
  readonly #waiting = new Set<() => void>()
  took: RunUsage = { model: null, usage: null, cost_micro_usd: null }
  /** The runtime's own sessions for this run, in its source. */
  sessions: readonly SessionRef[] = []
  #isOver = false

  constructor(identity: RunIdentity, now: () => number = Date.now) {
    this.identity = identity
    this.#now = now
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get events(): readonly ChatEvent[] {
    return this.#events
  }

  /** Builds the next event of the run. */
  createEvent<N extends ChatEventName>(event: N, body: Body<N>): ChatEvent {
    const envelope = { v: 1 as const, seq: this.#events.length + 1, ts: this.#now(), ...this.identity }
    return { event, data: { ...envelope, ...body } } as unknown as ChatEvent
  }

  /** Adds an event, unless a terminal event has ended the run. */
  put<N extends ChatEventName>(event: N, body: Body<N>): void {
    this.append(this.createEvent(event, body))
  }

  append(event: ChatEvent): void {
    if (this.#isOver) return
    this.#events.push(event)
    this.#isOver = event.event === 'done' || event.event === 'error'
    for (const wake of this.#waiting) wake()
  }

  /** Streams all events after a sequence number until the run ends. */
  async *after(seq: number, signal?: AbortSignal): AsyncGenerator<ChatEvent, undefined> {
    for (let at = Math.max(0, seq); !signal?.aborted; at += 1) {
      while (at >= this.#events.length) {
        if (this.#isOver) {
          const last = this.#events.at(-1)
          if (last && last.data.seq < seq) yield last
          return
        }
        await this.#waitForMore(signal)
        if (signal?.aborted) return
      }
      const next = this.#events[at]
      if (next) yield next
    }
  }

  /** Resolves when an event was added or the reader is gone. */
  #waitForMore(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((more) => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal?.removeEventListener('abort', wake)
        more()
      }
      this.#waiting.add(wake)
      signal?.addEventListener('abort', wake)
      if (signal?.aborted) wake()
    })
  }
}

/**
 * Returns the events after a position in a run that is over. A process that was killed may have
 * sent more events than it stored. A reader that saw such lost events still gets the end of the
 * run, even if its position was then taken by another event.
 */
export function eventsAfter(events: readonly ChatEvent[], seq: number): readonly ChatEvent[] {
  const last = events.at(-1)
  if (last === undefined || last.data.seq > seq) return events.filter(({ data }) => data.seq > seq)
  const wasCut = last.event === 'error' && last.data.code === 'interrupted'
  return last.data.seq < seq || wasCut ? [last] : []
}

export const serializeEvents = (events: readonly ChatEvent[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('')

export const parseEvents = (lines: string): readonly ChatEvent[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ChatEvent)

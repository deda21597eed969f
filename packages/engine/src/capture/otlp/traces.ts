import { readStatus } from '@panoptes/engine/stated'
import type { StoredEvent } from '@panoptes/schema'
import type { KeyedEvent } from '../hook.ts'
import { partOf, saidIn } from './map.ts'
import type { Span } from './spans.ts'
import { isSpanId, type Part, Tree } from './trees.ts'

const MOST_TRACES = 5_000
const MOST_SPANS = 200_000
const MOST_MARKERS = 1_000
const MOST_TOPS = 16

interface Marker {
  readonly ts: number
  readonly shipped: string
  readonly stubs: number
}

export interface TracePart {
  readonly span: Span
  /** Undefined for what is not of our languages. */
  readonly part: Part | undefined
}

/** What is remembered of one trace of one program. */
export class Trace {
  readonly tree = new Tree()
  readonly source: string
  readonly id: string
  /** The session it is of, once something of ours was told of it. */
  session: string | undefined
  size = 0
  /** What could not be stored. */
  readonly unsent: KeyedEvent[] = []
  #begun = false
  /** Those at the top that were told before anything of ours was. */
  #tops: Span[] = []
  readonly #markers = new Map<string, Marker>()

  constructor(source: string, id: string) {
    this.source = source
    this.id = id
  }

  /** Once. */
  isNew(): boolean {
    const isNew = !this.#begun
    this.#begun = true
    return isNew
  }

  note(span: Span, part: Part, agent: string | undefined, says: boolean): void {
    this.size += 1
    this.tree.note({ id: span.id, parent: span.parent, part, agent, says })
    if (this.session === undefined && span.parent === undefined && this.#tops.length < MOST_TOPS)
      this.#tops.push(span)
    if (!says) return
    const marker = readStatus(saidIn(span))
    if (marker)
      this.#mark(this.tree.workerIn(span.parent), {
        ts: span.end,
        shipped: marker.shipped,
        stubs: marker.stubs,
      })
  }

  /** The spans that something is to be told of. */
  told(spans: readonly Span[]): readonly TracePart[] {
    const tops = this.#tops
    this.#tops = []
    return [...tops.filter((top) => !spans.includes(top)), ...spans]
      .map((span) => ({ span, part: partOf(span) }))
      .filter(({ span, part }) => part !== undefined || span.parent === undefined)
  }

  /** What the last marker of an agent says, by whatever name it was said. */
  outcomeOf = (agent: string): Marker | undefined => {
    let last: Marker | undefined
    for (const [name, marker] of this.#markers)
      if (this.tree.isNamed(name, agent) && marker.ts >= (last?.ts ?? 0)) last = marker
    return last
  }

  /** What is stored already of its session; answers whether something is of this trace. */
  recall(events: readonly StoredEvent[]): boolean {
    const own = events.filter((event) => event.trace_id === this.id && event.via === 'otlp')
    if (events.length > 0) this.#begun = true
    const names = new Set<string>()
    const others = new Map<string, string>()
    for (const event of own.toReversed()) {
      const { span_id: id, above_span_id: above, parent_id: maker, agent_id: worker } = event
      const part = PARTS[event.event]
      if (typeof id !== 'string') continue
      if (part !== undefined) {
        const agent = part === 'agent' ? event.id : undefined
        this.tree.note({
          id,
          // Whoever works in it, or made it, is called by the id of a span, but for the one at the top.
          parent: [above, part === 'agent' ? maker : worker].find(isSpanId),
          part,
          agent: typeof agent === 'string' ? agent : undefined,
          says: part === 'reply',
        })
      }
      if (isSpanId(worker)) names.add(worker)
      if (
        event.event === 'agent_link' &&
        typeof event.tool_use_id === 'string' &&
        typeof event.id === 'string'
      )
        others.set(event.tool_use_id, event.id)
      if (event.event === 'status' && typeof worker === 'string')
        this.#mark(worker, { ts: event.ts, shipped: String(event.shipped), stubs: Number(event.stubs ?? 0) })
    }
    for (const [name, agent] of others) this.tree.recall(name, agent)
    for (const name of names) this.tree.recall(name)
    this.tree.recallOrphans()
    return own.length > 0
  }

  #mark(name: string, marker: Marker): void {
    const known = this.#markers.get(name)
    if (this.#markers.size < MOST_MARKERS && (known?.ts ?? 0) <= marker.ts) this.#markers.set(name, marker)
  }
}

const PARTS: Readonly<Record<string, Part>> = {
  agent_spawn: 'agent',
  agent_done: 'agent',
  tool_use: 'tool',
  usage: 'reply',
}

export interface Traces {
  readonly of: (source: string, id: string) => Trace
}

/** The newest traces; of the others what is stored tells. */
export function createTraces(): Traces {
  const traces = new Map<string, Trace>()
  return {
    of: (source, id) => {
      const name = `${id}:${source}`
      const known = traces.get(name)
      const trace = known ?? new Trace(source, id)
      traces.delete(name)
      traces.set(name, trace)
      if (known === undefined && traces.size % TIDIED_EVERY === 0) tidy(traces)
      return trace
    },
  }
}

const TIDIED_EVERY = 64

function tidy(traces: Map<string, Trace>): void {
  let spans = 0
  for (const { size } of traces.values()) spans += size
  for (const [oldest, { size }] of traces) {
    if (spans <= MOST_SPANS && traces.size <= MOST_TRACES) return
    traces.delete(oldest)
    spans -= size
  }
}

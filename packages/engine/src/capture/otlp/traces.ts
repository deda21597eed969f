import { readStatus } from '@panoptes/engine/markers'
import type { StoredEvent } from '@panoptes/schema'
import type { HookEvent, KeyedEvent } from '../hook.ts'
import { hasCounts, outputText, spanPart } from './map.ts'
import type { Span } from './spans.ts'
import { isSpanId, type Part, Tree } from './trees.ts'

const MOST_RETRACTABLE = 20_000

interface Spoken {
  readonly event: HookEvent
  readonly claims: number
}

/**
 * Tracks stored events of a trace that later spans retract. A span may arrive before its nested spans; what
 * those report as well is then retracted, so that the totals do not depend on the order of arrival.
 */
class TakenBack {
  readonly #tree: Tree
  readonly #usages = new Map<string, HookEvent>()
  readonly #claims = new Map<string, Spoken>()
  /** Spans that contain newly reported events. They stay here until those events are stored. */
  readonly #inner = new Set<string>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  stored(event: HookEvent): void {
    const { span_id: span } = event
    if (typeof span !== 'string') return
    if (event.event === 'usage') hold(this.#usages, span, withoutWords(event))
    else if (event.event === 'claim') {
      const claims = Math.max(this.#claims.get(span)?.claims ?? 0, 1 + Number(event.place))
      hold(this.#claims, span, { event: withoutWords(event), claims })
    } else if (event.event === 'taken_back') (event.of === 'usage' ? this.#usages : this.#claims).delete(span)
  }

  /** Returns whether the event still has to be reported. */
  counts = (event: KeyedEvent): boolean => {
    const span = String(event.span_id)
    if (event.event === 'usage') return !this.#tree.hasReply(span)
    return event.event !== 'claim' || !this.#tree.hasWords(span)
  }

  corrections(): readonly KeyedEvent[] {
    for (const span of this.#tree.takeMarked())
      if (this.#usages.has(span) || this.#claims.has(span)) this.#inner.add(span)
    const events: KeyedEvent[] = []
    for (const span of this.#inner) {
      const usage = this.#tree.hasReply(span) ? this.#usages.get(span) : undefined
      const claim = this.#tree.hasWords(span) ? this.#claims.get(span) : undefined
      if (usage === undefined && claim === undefined) this.#inner.delete(span)
      if (usage !== undefined) events.push(back(span, usage, { of: 'usage' }))
      if (claim !== undefined) events.push(back(span, claim.event, { of: 'claim', claims: claim.claims }))
    }
    return events
  }
}

const back = (span: string, event: HookEvent, of: { readonly of: string; readonly claims?: number }) => ({
  ...event,
  ...of,
  event: 'taken_back',
  key: `otlp:${String(event.trace_id)}:${span}:taken_back:${of.of}`,
})

const ENVELOPE_FIELDS = [
  'event',
  'source',
  'session_id',
  'ts',
  'via',
  'trace_id',
  'span_id',
  'agent_id',
  'id',
  'message_id',
  'input',
  'output',
  'cache_read',
  'cache_write',
  'cost_usd',
]

const withoutWords = (event: HookEvent): HookEvent =>
  Object.fromEntries(
    ENVELOPE_FIELDS.flatMap((name) => (event[name] === undefined ? [] : [[name, event[name]]])),
  ) as never

const MOST_TRACES = 5_000
const MOST_SPANS = 200_000
const MOST_MARKERS = 1_000
const MOST_TOPS = 16

interface Marker {
  readonly ts: number
  readonly shipped: string
  readonly stubs: number | null
}

export interface TracePart {
  readonly span: Span
  /** This is undefined for a span that follows no known convention. */
  readonly part: Part | undefined
}

/** The state of one trace of one program. */
export class Trace {
  readonly tree = new Tree()
  readonly takenBack = new TakenBack(this.tree)
  readonly source: string
  readonly id: string
  /** The session, once an event of the trace was reported. */
  session: string | undefined
  size = 0
  /** Events that could not be stored yet. */
  readonly unsent: KeyedEvent[] = []
  #begun = false
  /** Root spans from before the first relevant span. */
  #tops: Span[] = []
  readonly #markers = new Map<string, Marker>()

  constructor(source: string, id: string) {
    this.source = source
    this.id = id
  }

  /** Returns true on the first call only. */
  isNew(): boolean {
    const isNew = !this.#begun
    this.#begun = true
    return isNew
  }

  note(span: Span, part: Part, agent: string | undefined): void {
    const says = part === 'reply' && outputText(span) !== ''
    const counts = part === 'reply' && hasCounts(span)
    this.size += 1
    this.tree.note({ id: span.id, parent: span.parent, agent, counts, says })
    if (this.session === undefined && span.parent === undefined && this.#tops.length < MOST_TOPS)
      this.#tops.push(span)
    if (!says) return
    const marker = readStatus(outputText(span))
    if (marker)
      this.#mark(this.tree.workerIn(span.parent), {
        ts: span.end,
        shipped: marker.shipped,
        stubs: marker.stubs,
      })
  }

  /** Returns the spans to report. */
  partsToReport(spans: readonly Span[]): readonly TracePart[] {
    const tops = this.#tops
    this.#tops = []
    return [...tops.filter((top) => !spans.includes(top)), ...spans]
      .map((span) => ({ span, part: spanPart(span) }))
      .filter(({ span, part }) => part !== undefined || span.parent === undefined)
  }

  /** Returns the outcome of an agent's last marker under any of its names. */
  findOutcome = (agent: string): Marker | undefined => {
    let last: Marker | undefined
    for (const [name, marker] of this.#markers)
      if (this.tree.isNamed(name, agent) && marker.ts >= (last?.ts ?? 0)) last = marker
    return last
  }

  /** Restores the trace from stored events of its session and returns whether any belong to it. */
  recall(events: readonly StoredEvent[]): boolean {
    const own = events.filter((event) => event.trace_id === this.id && event.via === 'otlp')
    if (events.length > 0) this.#begun = true
    const names = new Set<string>()
    const others = new Map<string, string>()
    const agents = new Set(own.filter(({ event }) => PARTS[event] === 'agent').map(({ span_id }) => span_id))
    for (const event of own.toReversed()) {
      this.takenBack.stored(event)
      const { span_id: id, above_span_id: above, parent_id: maker, agent_id: worker } = event
      const part = PARTS[event.event]
      if (typeof id !== 'string') continue
      // The text and usage of an agent's own span are not those of a reply.
      if (part !== undefined && (part !== 'reply' || !agents.has(id))) {
        const agent = part === 'agent' ? event.id : undefined
        this.tree.note({
          id,
          // Workers and creators are named by a span id, except for the root.
          parent: [above, part === 'agent' ? maker : worker].find(isSpanId),
          agent: typeof agent === 'string' ? agent : undefined,
          counts: event.event === 'usage' && typeof (event.input ?? event.output) === 'number',
          says: part === 'reply' && (event.event !== 'usage' || event.has_words === true),
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
        this.#mark(worker, {
          ts: event.ts,
          shipped: String(event.shipped),
          stubs: typeof event.stubs === 'number' ? event.stubs : null,
        })
    }
    for (const [name, agent] of others) this.tree.recall(name, agent)
    for (const name of names) this.tree.recall(name)
    this.tree.recallOrphans()
    return own.length > 0
  }

  #mark(name: string, marker: Marker): void {
    const existing = this.#markers.get(name)
    if (this.#markers.size < MOST_MARKERS && (existing?.ts ?? 0) <= marker.ts) this.#markers.set(name, marker)
  }
}

const PARTS: Readonly<Record<string, Part>> = {
  agent_spawn: 'agent',
  agent_done: 'agent',
  tool_use: 'tool',
  usage: 'reply',
  claim: 'reply',
  status: 'reply',
}

export interface Traces {
  readonly of: (source: string, id: string) => Trace
}

/** Keeps the newest traces in memory. Older ones are restored from the store. */
export function createTraces(): Traces {
  const traces = new Map<string, Trace>()
  return {
    of: (source, id) => {
      const name = `${id}:${source}`
      const existing = traces.get(name)
      const trace = existing ?? new Trace(source, id)
      traces.delete(name)
      traces.set(name, trace)
      if (existing === undefined && traces.size % TIDIED_EVERY === 0) tidy(traces)
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

function hold<T>(map: Map<string, T>, span: string, value: T): void {
  map.set(span, value)
  if (map.size > MOST_RETRACTABLE) map.delete(map.keys().next().value ?? '')
}

import type { HookEvent, KeyedEvent } from '../hook.ts'
import type { Tree } from './trees.ts'

const MOST_SPANS = 20_000

interface Spoken {
  readonly event: HookEvent
  readonly claims: number
}

/**
 * Tracks stored events of a trace that later spans retract. A span may arrive before its nested spans; what
 * those report as well is then retracted, so that the totals do not depend on the order of arrival.
 */
export class TakenBack {
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

function hold<T>(map: Map<string, T>, span: string, value: T): void {
  map.set(span, value)
  if (map.size > MOST_SPANS) map.delete(map.keys().next().value ?? '')
}

import type { HookEvent, KeyedEvent } from '../hook.ts'
import type { Tree } from './trees.ts'

const MOST_SPANS = 20_000

interface Spoken {
  readonly event: HookEvent
  readonly claims: number
}

/**
 * What spans of one trace told and is stored. A span may come before those inside of it: what they tell as well is taken back then, so
 * that the same counts in whatever order they come.
 */
export class TakenBack {
  readonly #tree: Tree
  readonly #usages = new Map<string, HookEvent>()
  readonly #claims = new Map<string, Spoken>()
  /** Those inside of which something was told since; they stay until that is stored. */
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

  /** Whether this is still to be told. */
  counts = (event: KeyedEvent): boolean => {
    const span = String(event.span_id)
    if (event.event === 'usage') return !this.#tree.hasReply(span)
    return event.event !== 'claim' || !this.#tree.hasWords(span)
  }

  owed(): readonly KeyedEvent[] {
    for (const span of this.#tree.takeMarked())
      if (this.#usages.has(span) || this.#claims.has(span)) this.#inner.add(span)
    const events: KeyedEvent[] = []
    for (const span of this.#inner) {
      const usage = this.#tree.hasReply(span) ? this.#usages.get(span) : undefined
      const said = this.#tree.hasWords(span) ? this.#claims.get(span) : undefined
      if (usage === undefined && said === undefined) this.#inner.delete(span)
      if (usage !== undefined) events.push(back(span, usage, { of: 'usage' }))
      if (said !== undefined) events.push(back(span, said.event, { of: 'claim', claims: said.claims }))
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

const KEPT = [
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
    KEPT.flatMap((name) => (event[name] === undefined ? [] : [[name, event[name]]])),
  ) as never

function hold<T>(map: Map<string, T>, span: string, value: T): void {
  map.set(span, value)
  if (map.size > MOST_SPANS) map.delete(map.keys().next().value ?? '')
}

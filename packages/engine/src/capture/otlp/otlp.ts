import { setImmediate } from 'node:timers/promises'
import { pause } from '@panoptes/engine/abortable'
import { type NewEvent, type Result, type StoredEvent, success } from '@panoptes/schema'
import type { Capture, Store } from '../capture.ts'
import type { KeyedEvent } from '../hook.ts'
import { fitEvent } from '../hook.ts'
import {
  type BareSpanEvent,
  isTop,
  resourceSource,
  spanAgent,
  spanPart,
  spanProject,
  spanSession,
  toEvents,
  turn,
  type Who,
} from './map.ts'
import { type Span, spansIn } from './spans.ts'
import { createTraces, type Trace, type Traces } from './traces.ts'
import type { Part } from './trees.ts'

export interface OtlpOptions {
  readonly capture: Pick<Capture, 'found'>
  /** Returns the stored events of a session, newest first. */
  readonly recall: (source: string, session: string) => Promise<readonly StoredEvent[]>
  readonly now?: () => number
  /** A span without a session waits this long for one of its trace that names it. */
  readonly sessionWaitMs?: number
}

export interface TakenSpans {
  readonly spans: number
  readonly rejected: number
  /** The reason for the first rejected span. */
  readonly problem: string | null
}

/**
 * Takes spans in any order and any number of requests. It remembers a bounded number of traces, so create one
 * per process.
 */
export interface Otlp {
  /** Returns undefined when the request is not a trace export. */
  readonly take: (request: unknown, store: Store) => Promise<Result<TakenSpans> | undefined>
}

const SLICE = 2_000
const MOST_UNSENT = 1_000
const SESSION_WAIT_MS = 1_000
/**
 * The wait is split into this many steps, so that requests are read between two clock checks even in a busy
 * process.
 */
const WAIT_STEPS = 20

export function createOtlp({
  capture,
  recall,
  now = Date.now,
  sessionWaitMs = SESSION_WAIT_MS,
}: OtlpOptions): Otlp {
  const traces = createTraces()
  const sessions = createSessionWaits(traces, sessionWaitMs)
  let before: Promise<unknown> = Promise.resolve()

  const take = async (spans: readonly Span[], store: Store): Promise<Result<null>> => {
    const groups = groupSpans(traces, spans)
    for (const group of groups) await prepare(group, recall)
    const eventsByGroup: (readonly KeyedEvent[])[] = []
    for (const group of groups) {
      const { unsent, takenBack } = group.trace
      eventsByGroup.push([
        ...unsent.splice(0).filter(takenBack.counts),
        ...groupEvents(group),
        ...takenBack.corrections(),
      ])
      // Yields while reading a long body, so that other requests are served.
      await setImmediate()
    }
    const events = inOrder(eventsByGroup.flat(), now())
    const byName = new Map(groups.map(({ trace }) => [`${trace.id}:${trace.source}`, trace]))
    for (let at = 0; at < events.length; at += SLICE) {
      const slice = newEvents(capture, events.slice(at, at + SLICE))
      const stored = await store(slice)
      if (!stored.ok) {
        // Derived facts are reported only once, whereas the sender repeats the spans themselves.
        groups.forEach(({ trace }, n) => {
          trace.unsent.push(...(eventsByGroup[n] ?? []).slice(0, MOST_UNSENT))
        })
        return stored
      }
      for (const event of slice) byName.get(`${event.trace_id}:${event.source}`)?.takenBack.stored(event)
      await setImmediate()
    }
    return success(null)
  }

  return {
    take: async (request, store) => {
      const read = spansIn(request)
      if (read === undefined) return undefined
      const spans: Span[] = []
      let rejected = 0
      let problem: string | null = null
      for (const each of read) {
        if ('span' in each) spans.push(each.span)
        else {
          rejected += 1
          problem ??= each.problem
        }
      }
      await sessions.wait(spans)
      // Requests run one after the other, because each depends on the facts of the previous ones.
      const taken = before.then(() => take(spans, store))
      before = taken.catch(() => undefined)
      sessions.release(spans)
      const done = await taken
      return done.ok ? success({ spans: spans.length, rejected, problem }) : done
    },
  }
}

interface SessionWaits {
  readonly wait: (spans: readonly Span[]) => Promise<void>
  /** Releases spans that wait for the session of these spans, which are processed next. */
  readonly release: (spans: readonly Span[]) => void
}

/**
 * An SDK that exports each span separately has several requests in flight, so a span without a session may
 * overtake one that names it. The session of a trace cannot change once events are stored, so the first one
 * waits briefly. A root span ends last, so waiting gains nothing for it.
 */
function createSessionWaits(traces: Traces, ms: number): SessionWaits {
  const waits = new Map<Trace, AbortController>()

  const settles = ({ spans }: Group): boolean => spans.some((span) => spanPart(span) !== undefined)
  const mustWait = (group: Group): boolean =>
    group.trace.session === undefined &&
    settles(group) &&
    group.spans.every((span) => span.parent !== undefined && spanSession(span) === undefined)

  return {
    wait: async (spans) => {
      if (ms === 0) return
      const unnamed = groupSpans(traces, spans).filter(mustWait)
      await Promise.all(
        unnamed.map(({ trace }) => {
          const released = waits.get(trace) ?? new AbortController()
          waits.set(trace, released)
          return waitInSteps(ms, released.signal)
        }),
      )
    },
    release: (spans) => {
      for (const { trace } of groupSpans(traces, spans).filter(settles)) {
        waits.get(trace)?.abort()
        waits.delete(trace)
      }
    },
  }
}

async function waitInSteps(ms: number, signal: AbortSignal): Promise<void> {
  for (let step = 0; step < WAIT_STEPS && !signal.aborted; step += 1) await pause(ms / WAIT_STEPS, signal)
}

const newEvents = (capture: Pick<Capture, 'found'>, events: readonly KeyedEvent[]): readonly NewEvent[] =>
  capture.found(
    events.flatMap((event) => {
      const fit = fitEvent(event)
      return 'event' in fit ? [{ ...fit, key: event.key }] : []
    }),
  )

interface Group {
  readonly trace: Trace
  readonly spans: readonly Span[]
}

function groupSpans(traces: Traces, spans: readonly Span[]): readonly Group[] {
  const groups = new Map<Trace, Span[]>()
  for (const span of spans) {
    const trace = traces.of(resourceSource(span.resource), span.trace)
    const group = groups.get(trace)
    if (group) group.push(span)
    else groups.set(trace, [span])
  }
  return [...groups].map(([trace, own]) => ({ trace, spans: own.toSorted((a, b) => a.start - b.start) }))
}

/** The session of a trace is fixed when its first event is stored. */
async function prepare({ trace, spans }: Group, recall: OtlpOptions['recall']): Promise<void> {
  const session = spans.map(spanSession).find((name) => name !== undefined) ?? trace.id
  if (trace.session === undefined && spans.some((span) => spanPart(span) !== undefined)) {
    trace.session = session
    trace.recall(await recall(trace.source, session))
  } else if (trace.size === 0 && trace.recall(await recall(trace.source, session))) trace.session = session
  for (const span of spans) {
    const part = spanPart(span) ?? 'step'
    trace.note(span, part, part === 'agent' ? agentName(span) : undefined)
  }
}

/** The root span is the session's own agent. */
const agentName = (span: Span): string => spanAgent(span) ?? (span.parent === undefined ? 'main' : span.id)

function groupEvents({ trace, spans }: Group): readonly KeyedEvent[] {
  const { session, tree } = trace
  const [first] = spans
  if (session === undefined || first === undefined) return []
  const keyed = (span: Span, event: BareSpanEvent, name: string): KeyedEvent => {
    const { at, ...fields } = event
    return {
      ...fields,
      source: trace.source,
      session_id: session,
      ts: at === 'start' ? span.start : span.end,
      key: `otlp:${trace.id}:${span.id}:${name}`,
      via: 'otlp',
      trace_id: trace.id,
      span_id: span.id,
    }
  }
  const events: KeyedEvent[] = []
  if (trace.isNew()) {
    const project = spans.map(spanProject).find((name) => name !== undefined)
    const started = keyed(first, { event: 'session_start', at: 'start', project }, 'session_start')
    events.push({ ...started, key: `otlp:${trace.source}:${session}:session_start` })
  }
  for (const found of tree.found()) {
    const link = { event: 'agent_link', at: 'start' } as const
    if ('name' in found)
      events.push(
        keyed(
          first,
          { ...link, id: found.agent, tool_use_id: found.name },
          `named:${found.name}:${found.agent}`,
        ),
      )
    else
      events.push(keyed(first, { ...link, id: found.child, parent_id: found.maker }, `maker:${found.child}`))
  }
  for (const { span, part } of trace.partsToReport(spans)) {
    const who = whoIn(trace, span, part)
    const spanEvents = [
      ...(part === undefined ? [] : toEvents(span, part, who)),
      ...(isTop(span, who) ? turn(span, part, who) : []),
    ]
    // The creator of an agent may become known later, when only the stored events remain.
    const above = part === 'agent' && who.maker === undefined ? tree.unknownAbove(span.id) : undefined
    for (const each of spanEvents)
      events.push(
        keyed(
          span,
          above === undefined ? each : { ...each, above_span_id: above },
          each.event === 'claim' ? `claim:${each.place}` : each.event,
        ),
      )
  }
  return events
}

function whoIn({ tree, findOutcome }: Trace, span: Span, part: Part | undefined): Who {
  const own = part === 'agent' ? agentName(span) : undefined
  const agent = own ?? tree.workerIn(span.parent)
  return {
    agent,
    maker: own === undefined ? undefined : tree.findMaker(span.id, own),
    hasReply: tree.hasReply(span.id),
    hasWords: tree.hasWords(span.id),
    outcome: findOutcome(agent),
  }
}

/** Sorts events by time. At the same time an end comes last, and no event is later than now. */
function inOrder(events: readonly KeyedEvent[], now: number): readonly KeyedEvent[] {
  const rank = ({ event }: KeyedEvent): number => {
    if (event === 'session_start') return 0
    if (event === 'agent_link') return 1
    return event === 'agent_done' ? 3 : 2
  }
  const first = (event: KeyedEvent): number => (rank(event) < 2 ? Number.NEGATIVE_INFINITY : (event.ts ?? 0))
  return events
    .map((event) => ({ ...event, ts: Math.min(event.ts ?? now, now) }))
    .sort((a, b) => first(a) - first(b) || rank(a) - rank(b))
}

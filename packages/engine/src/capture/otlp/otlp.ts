import { setImmediate } from 'node:timers/promises'
import { pause } from '@panoptes/engine/waiting'
import { type NewEvent, type Result, type StoredEvent, success } from '@panoptes/schema'
import type { Capture, Store } from '../capture.ts'
import { fitted } from '../fit.ts'
import type { KeyedEvent } from '../hook.ts'
import {
  agentOf,
  isTop,
  partOf,
  projectOf,
  sessionOf,
  sourceOf,
  type Told,
  toldBy,
  turn,
  type Who,
} from './map.ts'
import { type Span, spansIn } from './spans.ts'
import { createTraces, type Trace, type Traces } from './traces.ts'
import type { Part } from './trees.ts'

export interface OtlpOptions {
  readonly capture: Pick<Capture, 'found'>
  /** What is stored already of a session, newest first. */
  readonly recall: (source: string, session: string) => Promise<readonly StoredEvent[]>
  readonly now?: () => number
  /** How long spans wait for one of their trace that names the session. */
  readonly sessionWaitMs?: number
}

export interface TakenSpans {
  readonly spans: number
  readonly rejected: number
  /** Why, of the first of them. */
  readonly problem: string | null
}

/** Takes spans in, in any order and any number of parts. It remembers a bounded number of traces: make one per process. */
export interface Otlp {
  /** Undefined where this is no request with spans. */
  readonly take: (request: unknown, store: Store) => Promise<Result<TakenSpans> | undefined>
}

const SLICE = 2_000
const MOST_UNSENT = 1_000
const SESSION_WAIT_MS = 1_000
/** Short enough that requests are read between two looks at the clock, however busy the process is. */
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
    const groups = groupsOf(traces, spans)
    for (const group of groups) await prepare(group, recall)
    const told: (readonly KeyedEvent[])[] = []
    for (const group of groups) {
      const { unsent, takenBack } = group.trace
      told.push([...unsent.splice(0).filter(takenBack.counts), ...eventsOf(group), ...takenBack.owed()])
      // A long body must not keep the stream waiting.
      await setImmediate()
    }
    const events = inOrder(told.flat(), now())
    const byName = new Map(groups.map(({ trace }) => [`${trace.id}:${trace.source}`, trace]))
    for (let at = 0; at < events.length; at += SLICE) {
      const slice = newEvents(capture, events.slice(at, at + SLICE))
      const stored = await store(slice)
      if (!stored.ok) {
        // What became known is told once; the spans themselves come again.
        groups.forEach(({ trace }, n) => {
          trace.unsent.push(...(told[n] ?? []).slice(0, MOST_UNSENT))
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
      // One after the other: what one knows, the next goes by.
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
  /** Lets those go on that wait for the session of these spans, which are next in line. */
  readonly release: (spans: readonly Span[]) => void
}

/**
 * An SDK that exports each span by itself has several requests under way at once, so a span that names no session may
 * overtake one that does. The session of a trace cannot change once events are stored, so the former waits for a moment.
 * A root span ends last, so nothing is gained by waiting with it.
 */
function createSessionWaits(traces: Traces, ms: number): SessionWaits {
  const waits = new Map<Trace, AbortController>()

  const settles = ({ spans }: Group): boolean => spans.some((span) => partOf(span) !== undefined)
  const mustWait = (group: Group): boolean =>
    group.trace.session === undefined &&
    settles(group) &&
    group.spans.every((span) => span.parent !== undefined && sessionOf(span) === undefined)

  return {
    wait: async (spans) => {
      if (ms === 0) return
      const unnamed = groupsOf(traces, spans).filter(mustWait)
      await Promise.all(
        unnamed.map(({ trace }) => {
          const released = waits.get(trace) ?? new AbortController()
          waits.set(trace, released)
          return waitInSteps(ms, released.signal)
        }),
      )
    },
    release: (spans) => {
      for (const { trace } of groupsOf(traces, spans).filter(settles)) {
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
      const fit = fitted(event)
      return 'event' in fit ? [{ ...fit, key: event.key }] : []
    }),
  )

interface Group {
  readonly trace: Trace
  readonly spans: readonly Span[]
}

function groupsOf(traces: Traces, spans: readonly Span[]): readonly Group[] {
  const groups = new Map<Trace, Span[]>()
  for (const span of spans) {
    const trace = traces.of(sourceOf(span.resource), span.trace)
    const group = groups.get(trace)
    if (group) group.push(span)
    else groups.set(trace, [span])
  }
  return [...groups].map(([trace, own]) => ({ trace, spans: own.toSorted((a, b) => a.start - b.start) }))
}

/** Which session the trace is of is settled when something of ours is first told of it. */
async function prepare({ trace, spans }: Group, recall: OtlpOptions['recall']): Promise<void> {
  const session = spans.map(sessionOf).find((name) => name !== undefined) ?? trace.id
  if (trace.session === undefined && spans.some((span) => partOf(span) !== undefined)) {
    trace.session = session
    trace.recall(await recall(trace.source, session))
  } else if (trace.size === 0 && trace.recall(await recall(trace.source, session))) trace.session = session
  for (const span of spans) {
    const part = partOf(span) ?? 'step'
    trace.note(span, part, part === 'agent' ? nameOf(span) : undefined)
  }
}

/** The one at the top is the session's own. */
const nameOf = (span: Span): string => agentOf(span) ?? (span.parent === undefined ? 'main' : span.id)

function eventsOf({ trace, spans }: Group): readonly KeyedEvent[] {
  const { session, tree } = trace
  const [first] = spans
  if (session === undefined || first === undefined) return []
  const keyed = (span: Span, told: Told, name: string): KeyedEvent => {
    const { at, ...fields } = told
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
    const project = spans.map(projectOf).find((name) => name !== undefined)
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
  for (const { span, part } of trace.told(spans)) {
    const who = whoIn(trace, span, part)
    const told = [
      ...(part === undefined ? [] : toldBy(span, part, who)),
      ...(isTop(span, who) ? turn(span, part, who) : []),
    ]
    // Who made an agent may come out later, when only what is stored is known.
    const above = part === 'agent' && who.maker === undefined ? tree.unknownAbove(span.id) : undefined
    for (const each of told)
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

function whoIn({ tree, outcomeOf }: Trace, span: Span, part: Part | undefined): Who {
  const own = part === 'agent' ? nameOf(span) : undefined
  const agent = own ?? tree.workerIn(span.parent)
  return {
    agent,
    maker: own === undefined ? undefined : tree.makerOf(span.id, own),
    hasReply: tree.hasReply(span.id),
    hasWords: tree.hasWords(span.id),
    outcome: outcomeOf(agent),
  }
}

/** By their times; who ends does so last of what happened at that moment. Nothing happened after it was told. */
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

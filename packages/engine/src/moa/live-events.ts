import { EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import type { ModelCallResult } from './model-call.ts'
import type { TurnRequest } from './open.ts'
import { maskKeys } from './privacy.ts'
import { extractQuestion } from './stored-turn.ts'
import type { TurnCall, TurnPart } from './turn.ts'

export interface LiveReporterOptions {
  readonly host: string
  readonly append: (events: readonly NewEvent[]) => unknown
  readonly now?: (() => number) | undefined
  /** Provider keys, which must never appear in an event. */
  readonly secrets?: (() => readonly string[]) | undefined
}

const SOURCE = 'panoptes'
const MAIN = 'main'

interface Batcher<T> {
  readonly put: (...items: readonly T[]) => void
  /** Resolves when every item has been flushed and taken. */
  readonly drain: () => Promise<void>
}

const BATCH_MS = 10
const MAX_BATCH = 500

/**
 * Reports a running turn to Live: the acting model, and the references as they start and finish.
 */
export function createLiveReporter({
  host,
  append,
  now = Date.now,
  secrets = () => [],
}: LiveReporterOptions) {
  const events = createBatcher(append)
  const enqueue = (newEvents: readonly NewEvent[]) => events.put(...newEvents)
  const createEvent = (session_id: string, kind: string, key: string, fields: object): NewEvent => ({
    v: EVENT_VERSION,
    key: `moa:${session_id}:${key}`,
    ts: now(),
    event: kind,
    source: SOURCE,
    host,
    session_id,
    ...fields,
  })
  /** A further call of a turn is not a new question. */
  const createStartEvents = (
    turn: string,
    iteration: number,
    { session, preset, ask, owner }: TurnRequest,
  ): NewEvent[] =>
    iteration > 1
      ? [createEvent(session, 'agent_spawn', `${turn}:${iteration}:main`, { id: MAIN })]
      : [
          createEvent(session, 'session_start', 'start', { title: `moa/${preset}`, reason: 'moa' }),
          createEvent(session, 'prompt', `${turn}:prompt`, {
            id: turn,
            agent_id: MAIN,
            ...(owner === undefined && { prompt_preview: extractQuestion(ask, secrets()) }),
          }),
        ]
  const createEndEvents = (call: TurnCall, { session, owner }: TurnRequest): NewEvent[] => {
    const { turnId, iteration, advised, acted, status } = call
    const problem = acted?.error && (owner === undefined ? acted.error.message : acted.error.class)
    const of = `${turnId}:${iteration}`
    return [
      ...advised.flatMap((one, at) =>
        createUsageEvents(session, `${of}:ref${at}`, referenceAgentId(turnId, iteration, at), one),
      ),
      ...(acted ? createUsageEvents(session, `${of}:act`, MAIN, acted) : []),
      createEvent(session, 'agent_done', `${of}:done`, {
        id: MAIN,
        ...(status === 'failed' ? { error: maskKeys(problem ?? 'the turn failed', secrets()) } : {}),
        ...(status === 'aborted' ? { reason: 'interrupted', outcome: 'stopped' } : {}),
      }),
    ]
  }
  const createUsageEvents = (
    session: string,
    key: string,
    agent_id: string,
    called: ModelCallResult,
  ): NewEvent[] => {
    if (called.usage === null) return []
    const { input, output, cache_read, cache_write, reasoning } = called.usage
    const isPriced = called.costMicroUsd !== null
    return [
      createEvent(session, 'usage', `${key}:usage`, {
        agent_id,
        model: called.slot.model,
        input,
        output,
        cache_read,
        cache_write,
        reasoning,
        ...(isPriced
          ? { cost_usd: (called.costMicroUsd ?? 0) / 1_000_000, cost_status: 'estimated' }
          : { cost_status: 'unknown' }),
      }),
    ]
  }
  return {
    drain: events.drain,
    report: (part: TurnPart, request: TurnRequest): void => {
      const { session } = request
      // A chat conversation reports its own runs, including the reference models.
      if (request.from === 'chat') return
      if (part.type === 'asking')
        enqueue([
          ...createStartEvents(part.turn_id, part.iteration, request),
          ...part.references.map(({ label, model }, at) =>
            createEvent(session, 'agent_spawn', `${part.turn_id}:${part.iteration}:ref${at}`, {
              id: referenceAgentId(part.turn_id, part.iteration, at),
              parent_id: MAIN,
              subagent_type: 'reference',
              model,
              prompt_preview: label,
            }),
          ),
        ])
      else if (part.type === 'progress')
        enqueue([
          createEvent(session, 'agent_done', `${part.turn_id}:${part.iteration}:ref${part.at}:done`, {
            id: referenceAgentId(part.turn_id, part.iteration, part.at),
            ...endFields(part.error),
          }),
        ])
      else if (part.type === 'aggregating' && part.fan_out !== 'miss')
        enqueue(createStartEvents(part.turn_id, part.iteration, request))
      else if (part.type === 'end' || part.type === 'failed') enqueue(createEndEvents(part.call, request))
    },
  }
}

/** A short, readable id that is unique within its session. */
const referenceAgentId = (turn: string, iteration: number, at: number): string =>
  `ref-${turn.slice(0, 8)}-${iteration === 1 ? '' : `${iteration}-`}${at + 1}`

/** A stopped agent has not failed, so it gets no error. */
function endFields(error: string | null): object {
  if (error === 'aborted') return { reason: 'interrupted' }
  return error === null || error === 'skipped' ? {} : { error }
}

/**
 * Collects items for a moment and passes them on as one batch, because a batch costs about as much
 * as a single item. Callers do not wait for it.
 */
export function createBatcher<T>(hand: (items: readonly T[]) => unknown, ms: number = BATCH_MS): Batcher<T> {
  let waiting: T[] = []
  let clock: NodeJS.Timeout | undefined
  let handed: Promise<unknown> = Promise.resolve()
  const flush = () => {
    clearTimeout(clock)
    clock = undefined
    if (waiting.length === 0) return
    const items = waiting
    waiting = []
    handed = Promise.allSettled([handed, hand(items)]).then(() => undefined)
  }
  return {
    put: (...items) => {
      waiting.push(...items)
      if (waiting.length >= MAX_BATCH) flush()
      else clock ??= setTimeout(flush, ms)
    },
    drain: async () => {
      flush()
      await handed
    },
  }
}

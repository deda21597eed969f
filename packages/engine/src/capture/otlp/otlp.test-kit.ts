import type { Bypass } from '@panoptes/engine/markers'
import { type OtlpSpan, type TracesRequest, toAttributes } from '@panoptes/engine/otlp'
import { type Agent, type NewEvent, type StoredEvent, success } from '@panoptes/schema'
import { agentsProjection, MemoryRows, toAgent } from '../../store/projections/index.ts'
import { createCapture } from '../capture.ts'
import { createOtlp } from './otlp.ts'

type Plain = string | number | boolean | readonly Plain[]

const NANO = 1_000_000n
const BEGAN = 1_790_000_000_000

export interface Made {
  readonly trace?: number
  readonly id: number
  readonly parent?: number | undefined
  readonly name?: string
  readonly from?: number
  readonly to?: number
  readonly attributes?: Readonly<Record<string, Plain>>
  readonly events?: OtlpSpan['events']
  readonly status?: OtlpSpan['status']
}

export const idOf = (id: number): string => id.toString(16).padStart(16, '0')
export const traceOf = (trace: number): string => trace.toString(16).padStart(32, 'a')

/** Builds a span with times in milliseconds relative to a fixed start. */
export const span = (made: Made): OtlpSpan => ({
  traceId: traceOf(made.trace ?? 1),
  spanId: idOf(made.id),
  parentSpanId: made.parent === undefined ? '' : idOf(made.parent),
  name: made.name ?? 'a span',
  startTimeUnixNano: String(BigInt(BEGAN + (made.from ?? made.id)) * NANO),
  endTimeUnixNano: String(BigInt(BEGAN + (made.to ?? made.id + 1_000)) * NANO),
  attributes: toAttributes(made.attributes ?? {}),
  ...(made.events ? { events: made.events } : {}),
  ...(made.status ? { status: made.status } : {}),
})

export const request = (spans: readonly OtlpSpan[], service = 'app'): TracesRequest => ({
  resourceSpans: [
    { resource: { attributes: toAttributes({ 'service.name': service }) }, scopeSpans: [{ spans }] },
  ],
})

export interface Log {
  readonly send: (sent: unknown) => Promise<unknown>
  /** Drops everything in memory, as a restart does, while stored events remain. */
  readonly restart: () => void
  readonly events: () => readonly StoredEvent[]
  readonly agents: () => Readonly<Record<string, Agent>>
  /** This many of the next appends fail. */
  failing: number
}

/** Creates a minimal store in memory: it stores each key once and derives the agents. */
export function createLog(bypass: Bypass = { claims: false, skills: false }, sessionWaitMs = 0): Log {
  const events: StoredEvent[] = []
  const keys = new Set<string>()
  const rows = new MemoryRows(agentsProjection)
  const capture = createCapture({ host: 'here', findAgents: async () => success(new Map()), bypass })
  const open = () =>
    createOtlp({
      capture,
      sessionWaitMs,
      recall: async (source, session) =>
        events.filter((event) => event.source === source && event.session_id === session).toReversed(),
    })
  let otlp = open()
  const store = async (batch: readonly NewEvent[]) => {
    if (log.failing > 0) {
      log.failing -= 1
      return { ok: false, code: 'busy', message: 'busy' } as const
    }
    for (const event of batch) {
      if (keys.has(event.key)) continue
      keys.add(event.key)
      const stored = { ...event, seq: events.length + 1 } as StoredEvent
      events.push(stored)
      agentsProjection.apply(rows, structuredClone(stored))
    }
    return success(null)
  }
  const log: Log = {
    failing: 0,
    send: (sent) => otlp.take(sent, store),
    restart: () => {
      otlp = open()
    },
    events: () => events,
    agents: () =>
      Object.fromEntries(
        rows
          .entries()
          .flatMap(([, row]) => toAgent(row) ?? [])
          .map((agent) => [agent.id, agent]),
      ),
  }
  return log
}

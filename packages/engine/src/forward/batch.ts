import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { redactEvent } from '@panoptes/engine/redact'
import type { EventRow, EventStore } from '@panoptes/engine/store'
import {
  type EventKind,
  eventKind,
  type FieldsOf,
  type Forwarded,
  isName,
  type NewEvent,
  type Result,
  type StoredEvent,
  success,
} from '@panoptes/schema'

const deflate = promisify(gzip)

/** A step holds the thread for at most about this long before it yields. */
const TURN_MS = 8
/**
 * The page size for reading the log. An event may have 256 KB, so only one page is in memory besides the
 * batch.
 */
const PAGE = 100

/** Events that are sent together, in wire format. */
export interface Batch {
  readonly lines: number
  /** Once the hub accepted this batch, it has everything up to this seq. */
  readonly last: number
  readonly bytes: number
  readonly body: Buffer<ArrayBuffer>
  /** This is true when more events were waiting after this batch. */
  readonly more: boolean
}

export interface BatchLimits {
  readonly bytes: number
  readonly lines: number
}

/**
 * Reads the next events after a seq within the limits, at least one. When there are none, it returns the seq
 * up to which nothing is left.
 */
export async function nextBatch(
  store: Pick<EventStore, 'read' | 'head'>,
  after: number,
  what: Forwarded,
  limits: BatchLimits,
): Promise<Result<Batch | { readonly none: number }>> {
  const head = await store.head()
  if (!head.ok) return head
  const lines: string[] = []
  const pace = createPace()
  let bytes = 0
  let at = after
  let more = false
  for (;;) {
    const limit = Math.min(PAGE, limits.lines - lines.length)
    const page = await store.read({ after: at, limit })
    if (!page.ok) return page
    for (const row of page.value.rows) {
      const line = toLine(row, what)
      const size = Buffer.byteLength(line) + 1
      if (lines.length > 0 && bytes + size > limits.bytes) {
        more = true
        break
      }
      lines.push(line)
      bytes += size
      at = row.seq
      if (pace.isDue()) await pace.pause()
    }
    if (more) break
    if (page.value.next === null) {
      // The remaining rows up to the end were forgotten.
      at = Math.max(at, head.value.last)
      break
    }
    if (page.value.rows.length === 0) at = page.value.next
    if (lines.length >= limits.lines) {
      more = true
      break
    }
  }
  if (lines.length === 0) return success({ none: at })
  const text = `${lines.join('\n')}\n`
  return success({ lines: lines.length, last: at, bytes, more, body: await compress(text) })
}

export const compress = async (text: string): Promise<Buffer<ArrayBuffer>> =>
  (await deflate(text)) as Buffer<ArrayBuffer>

const toLine = ({ json }: EventRow, what: Forwarded): string =>
  JSON.stringify(redactEvent(toForwardedEvent(JSON.parse(json) as StoredEvent, what)).event)

function createPace() {
  let started = performance.now()
  return {
    isDue: () => performance.now() - started > TURN_MS,
    pause: async () => {
      await setImmediate()
      started = performance.now()
    },
  }
}

/** Decides whether a field is sent when words are not to be sent. A string replaces its value. */
type Travels = boolean | 'failed'

/**
 * Lists every field of every kind, so that the compiler requires a decision before a new field can leave this
 * computer.
 */
const TRAVELS: { readonly [K in EventKind]: { readonly [F in keyof FieldsOf<K>]-?: Travels } } = {
  session_start: { agent_id: true, cwd: false, project: true, title: false, model: true, reason: true },
  session_end: { reason: true },
  prompt: { id: true, agent_id: true, prompt_preview: false },
  agent_spawn: {
    id: true,
    parent_id: true,
    subagent_type: true,
    model: true,
    branch: false,
    prompt_preview: false,
    background: true,
  },
  agent_link: {
    id: true,
    parent_id: true,
    tool_use_id: true,
    subagent_type: true,
    model: true,
    prompt_preview: false,
    background: true,
    status: true,
    outcome: true,
    duration_ms: true,
  },
  agent_wait: { agent_id: true, reason: false },
  agent_stuck: { agent_id: true, silent_ms: true, usual_ms: true },
  agent_lost: { agent_id: true, reason: false },
  agent_done: {
    id: true,
    outcome: true,
    stubs: true,
    duration_ms: true,
    tool_use_count: true,
    cost_usd: true,
    error: 'failed',
  },
  tool_use: { id: true, agent_id: true, subagent_type: true, tool: true, input_preview: false },
  tool_done: {
    id: true,
    agent_id: true,
    subagent_type: true,
    tool: true,
    ok: true,
    duration_ms: true,
    error_preview: false,
  },
  tool_refused: { id: true, agent_id: true, tool: true },
  skill_use: { id: true, agent_id: true, skill: true, success: true, duration_ms: true, trajectory_id: true },
  usage: {
    id: true,
    agent_id: true,
    model: true,
    input: true,
    output: true,
    cache_read: true,
    cache_write: true,
    reasoning: true,
    cost_usd: true,
    cost_status: true,
  },
  taken_back: {
    agent_id: true,
    of: true,
    id: true,
    input: true,
    output: true,
    cache_read: true,
    cache_write: true,
    cost_usd: true,
    message_id: true,
    claims: true,
  },
  status: { agent_id: true, shipped: true, stubs: true, verified: false, checks: false, follow_ups: false },
  claim: { agent_id: true, value: false, tier: true, pointer: false, place: true, message_id: true },
  bypass: { claims: true, skills: true },
  budget: { budget: true, level: true, spent_usd: true, limit_usd: true },
}

/** Captures write these fields in addition to the vocabulary, and the judge depends on them. */
const word = (value: unknown): boolean => typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value)
const BESIDE: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  agent_wait: { wait: word, call: isName, tool: isName },
  forward_lost: { lost: Number.isSafeInteger },
  answer: { wait: word, call: isName, tool: isName, choice: word },
  hook: { hook: word },
}
const ANYWHERE: Readonly<Record<string, (value: unknown) => boolean>> = {
  agent_id: isName,
  prompt_id: isName,
  from_hook: (value) => value === true,
  via: (value) => value === 'transcript' || value === 'otlp',
}

/**
 * Conversations with Panoptes itself are private to their owner: their words are never sent, whatever the
 * settings.
 */
const OWN = 'panoptes'

/** Returns the part of a stored event that leaves this computer, before secrets are removed from it. */
export function toForwardedEvent(event: StoredEvent, what: Forwarded): NewEvent {
  const { seq: _seq, ...whole } = event
  return what === 'events' || event.source === OWN ? removeContent(whole) : whole
}

function removeContent(event: NewEvent): NewEvent {
  const { v, key, ts, event: kind, source, host, session_id } = event
  const recognized = eventKind(kind)
  const rules: Readonly<Record<string, Travels>> = recognized === undefined ? {} : TRAVELS[recognized]
  const beside = Object.hasOwn(BESIDE, kind) ? BESIDE[kind] : undefined
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(event)) {
    if (value === undefined || value === null) continue
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === true) fields[name] = value
    else if (typeof rule === 'string' && value !== '') fields[name] = rule
    else if (rule === undefined && isBeside(beside, name, value)) fields[name] = value
  }
  return { v, key, ts, event: kind, source, host, session_id, ...fields }
}

const isBeside = (beside: (typeof BESIDE)[string] | undefined, name: string, value: unknown): boolean =>
  (beside !== undefined && Object.hasOwn(beside, name) && beside[name]?.(value) === true) ||
  (Object.hasOwn(ANYWHERE, name) && ANYWHERE[name]?.(value) === true)

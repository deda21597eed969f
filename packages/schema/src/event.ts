import { z } from 'zod'
import { timestamp, timestampInput } from './time.ts'

export const EVENT_VERSION = 1

const text = (limit: number) =>
  z.string('must be text').max(limit, `must not be longer than ${limit} characters`)
const name = text(512)
  .min(1, 'must not be empty')
  .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
  .refine((value) => !value.includes('\u001f'), 'must not contain a unit separator (U+001F)')
  .refine((value) => value.isWellFormed(), 'must be well-formed Unicode, without half a surrogate pair')
/** True if this can be the name of a session, an agent or a call. */
export const isName = (value: unknown): value is string => name.safeParse(value).success
const preview = text(4_096)
/** Far beyond real values, and small enough that sums stay exact for years. */
const MOST = 1_000_000_000_000
const MOST_USD = 1_000_000
const amountSchema = (most: number) =>
  z.number('must be a number').min(0, 'must not be negative').max(most, `must not be over ${most}`)
const duration = amountSchema(MOST)
const usd = amountSchema(MOST_USD)
const whole = z
  .int('must be a whole number')
  .min(0, 'must not be negative')
  .max(MOST, `must not be over ${MOST}`)
const maybe = <S extends z.ZodType>(schema: S) => schema.nullish()

/** What an agent says about its own work in a STATUS-TRUTH marker. */
export const shipped = z.enum(['functional', 'partial', 'scaffolding', 'fail'])
export type Shipped = z.infer<typeof shipped>

/**
 * The outcome of an agent's work. `stopped` means that a person or a program ended it early; `lost`
 * means that it ended without a word, for instance because its process was killed. Neither is a
 * success or a failure.
 */
export const outcome = z.enum([...shipped.options, 'stopped', 'lost'])
export type Outcome = z.infer<typeof outcome>

export const costStatus = z.enum(['exact', 'estimated', 'unknown'])

/**
 * The fields of each kind of event besides the envelope. Every field is optional, because sources
 * know different things.
 */
const fields = {
  session_start: {
    agent_id: maybe(name),
    cwd: maybe(text(4_096)),
    project: maybe(name),
    title: maybe(preview),
    model: maybe(name),
    reason: maybe(name),
  },
  session_end: { reason: maybe(name) },
  prompt: { id: maybe(name), agent_id: maybe(name), prompt_preview: maybe(preview) },
  agent_spawn: {
    id: maybe(name),
    parent_id: maybe(name),
    subagent_type: maybe(name),
    model: maybe(name),
    branch: maybe(name),
    prompt_preview: maybe(preview),
    background: maybe(z.boolean()),
  },
  agent_link: {
    id: maybe(name),
    parent_id: maybe(name),
    tool_use_id: maybe(name),
    subagent_type: maybe(name),
    model: maybe(name),
    prompt_preview: maybe(preview),
    background: maybe(z.boolean()),
    status: maybe(z.enum(['launched', 'completed', 'failed'])),
    outcome: maybe(outcome),
    duration_ms: maybe(duration),
  },
  agent_wait: { agent_id: maybe(name), reason: maybe(preview) },
  agent_stuck: { agent_id: maybe(name), silent_ms: maybe(duration), usual_ms: maybe(duration) },
  agent_lost: { agent_id: maybe(name), reason: maybe(preview) },
  agent_done: {
    id: maybe(name),
    outcome: maybe(outcome),
    stubs: maybe(whole),
    duration_ms: maybe(duration),
    tool_use_count: maybe(whole),
    cost_usd: maybe(usd),
    error: maybe(preview),
  },
  tool_use: {
    id: maybe(name),
    agent_id: maybe(name),
    subagent_type: maybe(name),
    tool: maybe(name),
    input_preview: maybe(preview),
  },
  tool_done: {
    id: maybe(name),
    agent_id: maybe(name),
    subagent_type: maybe(name),
    tool: maybe(name),
    ok: maybe(z.boolean()),
    duration_ms: maybe(duration),
    error_preview: maybe(preview),
  },
  tool_refused: { id: maybe(name), agent_id: maybe(name), tool: maybe(name) },
  skill_use: {
    id: maybe(name),
    agent_id: maybe(name),
    skill: maybe(name),
    success: maybe(z.boolean()),
    duration_ms: maybe(duration),
    trajectory_id: maybe(name),
  },
  usage: {
    id: maybe(name),
    agent_id: maybe(name),
    model: maybe(name),
    input: maybe(whole),
    output: maybe(whole),
    cache_read: maybe(whole),
    cache_write: maybe(whole),
    reasoning: maybe(whole),
    cost_usd: maybe(usd),
    cost_status: maybe(costStatus),
  },
  /** Claims that a nested scope repeated. They count in the nested scope and are removed here. */
  taken_back: {
    agent_id: maybe(name),
    of: maybe(z.enum(['usage', 'claim'])),
    id: maybe(name),
    input: maybe(whole),
    output: maybe(whole),
    cache_read: maybe(whole),
    cache_write: maybe(whole),
    cost_usd: maybe(usd),
    message_id: maybe(name),
    /** How many claims of that message. */
    claims: maybe(whole),
  },
  status: {
    agent_id: maybe(name),
    shipped: maybe(shipped),
    stubs: maybe(whole),
    verified: maybe(preview),
    checks: maybe(z.array(z.object({ name: preview, result: preview })).max(64)),
    follow_ups: maybe(z.array(preview).max(64)),
  },
  claim: {
    agent_id: maybe(name),
    value: maybe(preview),
    tier: maybe(name),
    pointer: maybe(preview),
    /** The index of the claim in its message, from 0. */
    place: maybe(whole),
    /** A substitute for the message id. */
    message_id: maybe(name),
  },
  /**
   * No claims, or no skills, are recorded in this session, because its agent's environment says so.
   */
  bypass: { claims: maybe(z.boolean()), skills: maybe(z.boolean()) },
  budget: {
    budget: maybe(name),
    level: maybe(z.enum(['near', 'over'])),
    spent_usd: maybe(usd),
    limit_usd: maybe(usd),
  },
} as const

export type EventKind = keyof typeof fields
export const EVENT_KINDS = Object.keys(fields) as readonly EventKind[]

/** The kinds of the first JSONL vocabulary; a line of one of them may lack `session_id`. */
export const SEED_KINDS: ReadonlySet<string> = new Set(['agent_spawn', 'agent_done', 'tool_use', 'skill_use'])

export const sourceName = text(64).regex(
  /^[^\p{Cc}\p{Cs}]+$/u,
  'must be text without control characters, and not empty',
)

const inputEnvelope = {
  v: z.literal(EVENT_VERSION, `must be ${EVENT_VERSION}`).optional(),
  key: name.optional(),
  ts: timestampInput.nullish(),
  event: text(64).min(1, 'must not be empty'),
  source: sourceName.nullish(),
  host: text(256).optional(),
  session_id: name.nullish(),
}

const storedEnvelope = {
  v: z.literal(EVENT_VERSION),
  key: name,
  seq: z.int().min(1),
  ts: timestamp,
  event: text(64).min(1),
  source: sourceName,
  host: text(256),
  session_id: name,
}

const each = <T>(make: (kind: EventKind) => T) =>
  Object.fromEntries(EVENT_KINDS.map((kind) => [kind, make(kind)])) as { readonly [K in EventKind]: T }

/** One validator per kind for incoming events; `seq` is never accepted from outside. */
export const eventInputs = each((kind) =>
  z.looseObject({ ...inputEnvelope, event: z.literal(kind), ...fields[kind] }),
)

/** One validator per kind for stored and sent events. */
export const storedEvents = each((kind) =>
  z.looseObject({ ...storedEnvelope, event: z.literal(kind), ...fields[kind] }),
)

/** An unknown kind: the envelope is validated and the rest is kept unchanged. */
export const unknownEventInput = z.looseObject(inputEnvelope)
export const unknownStoredEvent = z.looseObject(storedEnvelope)

export const eventKind = (kind: string): EventKind | undefined =>
  Object.hasOwn(fields, kind) ? (kind as EventKind) : undefined

/** The validator for an incoming event of this kind. */
export const eventInputSchema = (kind: unknown): z.ZodType<EventInput> => {
  const recognized = typeof kind === 'string' ? eventKind(kind) : undefined
  return (recognized ? eventInputs[recognized] : unknownEventInput) as unknown as z.ZodType<EventInput>
}

/** The validator for a stored event of this kind. */
export const storedEventSchema = (kind: unknown): z.ZodType<StoredEvent> => {
  const recognized = typeof kind === 'string' ? eventKind(kind) : undefined
  return (recognized ? storedEvents[recognized] : unknownStoredEvent) as unknown as z.ZodType<StoredEvent>
}

export type EventInput = z.infer<typeof unknownEventInput>

/** Any stored event. Narrow with `isKind` to reach a kind's own fields. */
export type StoredEvent = z.infer<typeof unknownStoredEvent>

/** An event ready for the event store: complete except for `seq`. */
export type NewEvent = { readonly [field: string]: unknown } & Readonly<
  Pick<StoredEvent, 'v' | 'key' | 'ts' | 'event' | 'source' | 'host' | 'session_id'>
>

/** The fields of a kind besides the envelope. */
export type FieldsOf<K extends EventKind> = {
  readonly [F in keyof (typeof fields)[K]]?: z.infer<(typeof fields)[K][F]>
}

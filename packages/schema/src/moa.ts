import { z } from 'zod'
import { clamp } from './numbers.ts'
import { parseJson } from './parse-json.ts'
import { isPlainObject } from './plain-object.ts'
import { timestamp, timestampQuery } from './time.ts'

/** A model of a provider, in a preset. */
export const moaSlot = z.strictObject({
  provider: z.string('must be the name of a provider').min(1, 'must not be empty'),
  model: z.string('must be the name of a model').min(1, 'must not be empty'),
  enabled: z.boolean('must be true or false').default(true),
  reasoning_effort: z.string('must be a word such as low').min(1).nullish(),
})
export type MoaSlot = z.infer<typeof moaSlot>

const FANOUT = /^(?:user_turn|per_iteration|every_n:(?:[2-9]|[1-9]\d{1,5}))$/
const HOW_OFTEN = 'must be user_turn, per_iteration or every_n:N with N of at least 2'
/** When references are asked again: once per user message, with every call, or with every nth. */
const fanout = z.preprocess(toFanout, z.string(HOW_OFTEN).regex(FANOUT, HOW_OFTEN))

/** Also accepts `{ mode: every_n, n: 3 }`. */
function toFanout(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { mode, n } = value as Readonly<Record<string, unknown>>
  return mode === 'every_n' ? `every_n:${n}` : mode
}

const temperature = z
  .number('must be a number')
  .min(0, 'must not be negative')
  .max(2, 'must not be over 2')
  .nullable()
const seconds = z.number('must be a number of seconds').positive('must be over 0').nullable()

const policy = z.enum(['loud', 'silent'], 'must be loud or silent')
const BUDGET = { least: 1_000, most: 32_000, usual: 4_000 }
const budget = z.int('must be a whole number of characters')

const presetFields = {
  enabled: z.boolean('must be true or false').default(true),
  /** Also accepts a single item or a JSON text; items that name no model are dropped. */
  reference_models: z
    .preprocess(toSlots, z.array(moaSlot, 'must be a list of models').max(16, 'must not be over 16 models'))
    .default([]),
  aggregator: z.preprocess(parseIfText, moaSlot),
  reference_temperature: temperature.default(null),
  aggregator_temperature: temperature.default(null),
  reference_timeout: seconds.default(null),
  /** Like Hermes, treats any other value as loud. */
  degraded_reference_policy: policy.catch('loud').default('loud'),
  reference_tool_result_budget: z
    .preprocess((value) => value ?? BUDGET.usual, budget)
    .transform((chars) => clamp(chars, BUDGET.least, BUDGET.most))
    .default(BUDGET.usual),
  fanout: fanout.default('user_turn'),
  /** Seconds after which the aggregator begins with the advice it has. */
  deadline: seconds.default(null),
  /** This many references are enough; the others are stopped. */
  quorum: z.int('must be a whole number').min(1, 'must be at least 1').nullable().default(null),
  /** References whose cost would exceed this are not asked. */
  max_cost_usd: z.number('must be a number of dollars').positive('must be over 0').nullable().default(null),
}

/** Several models advise and one acts. The keys are those of Hermes; the last three are ours. */
export const moaPreset = z.preprocess(dropFormerKeys, z.strictObject(presetFields))
export type MoaPreset = z.infer<typeof moaPreset>

const range = `must be from ${BUDGET.least} to ${BUDGET.most}`
/** A preset that is written now: nothing is guessed. */
export const moaPresetInput = z.strictObject({
  ...presetFields,
  reference_models: z
    .array(moaSlot, 'must be a list of models')
    .max(16, 'must not be over 16 models')
    .default([]),
  aggregator: moaSlot,
  degraded_reference_policy: policy.default('loud'),
  reference_tool_result_budget: budget.min(BUDGET.least, range).max(BUDGET.most, range).default(BUDGET.usual),
})

/** Keys that Hermes no longer accepts. */
const FORMER = ['reference_max_tokens', 'aggregator_max_tokens', 'max_tokens']

function dropFormerKeys(value: unknown): unknown {
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => !FORMER.includes(key)))
}

/** Parses a JSON text. */
function parseIfText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseJson(value)
  } catch {
    return value
  }
}

function toSlots(value: unknown): unknown {
  const slots = parseIfText(value)
  if (slots === null) return []
  const list = typeof slots === 'object' && !Array.isArray(slots) ? [slots] : slots
  return Array.isArray(list) ? list.filter((slot) => !isUnset(slot)) : list
}

const isUnset = (slot: unknown): boolean =>
  typeof slot === 'object' &&
  slot !== null &&
  ['provider', 'model'].every((key) => [undefined, null, ''].includes((slot as Record<string, string>)[key]))

/** A provider of models. */
export const providerConfig = z.strictObject({
  kind: z.enum(['openai', 'anthropic'], 'must be openai or anthropic'),
  base_url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  api_key_env: z.string('must be the name of a variable').min(1).optional(),
  api_key_file: z.string('must be a file').min(1).optional(),
  /** Seconds of silence before a call is given up. */
  timeout: seconds.default(null),
  /** How often a rate-limited call is retried. */
  retries: z.int().min(0).max(10).default(2),
  /** The context window in tokens, if it has to be respected. */
  context_window: z.int().min(1_024).optional(),
})
export type ProviderConfig = z.infer<typeof providerConfig>

/** Tokens of one call as its provider reported them. Absent if it reported none. */
export const traceUsage = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  reasoning_tokens: z.int(),
})

export const errorClass = z.enum([
  'auth',
  'rate_limited',
  'overloaded',
  'timeout',
  'aborted',
  'invalid',
  'too_long',
  'not_found',
  'network',
  'bad_reply',
  'skipped',
])
export type ErrorClass = z.infer<typeof errorClass>

/** When a call started, produced its first token and ended, in milliseconds. */
const times = { started_at: timestamp, first_token_at: timestamp.nullable(), ended_at: timestamp.nullable() }

const slotError = z.object({ class: errorClass, message: z.string() })

/** One call of a turn, as it is always stored. */
export const turnSlot = z.object({
  role: z.enum(['reference', 'aggregator']),
  label: z.string(),
  provider: z.string(),
  model: z.string(),
  ...times,
  usage: traceUsage.nullable(),
  cost_micro_usd: z.int().nullable(),
  /** Null if it answered. */
  error: slotError.nullable(),
  /**
   * For a skipped slot: whether it had been asked and was stopped because enough others answered.
   */
  asked: z.boolean().optional(),
  /** For the aggregator: which of its calls in the turn this is, from 1. */
  iteration: z.int().nullable(),
  /** The length of its answer in characters. */
  output_chars: z.int().nullable(),
})
export type TurnSlot = z.infer<typeof turnSlot>

/** All calls for one user message. */
export const moaTurn = z.object({
  id: z.string(),
  session_id: z.string(),
  preset: z.string(),
  from: z.enum(['gateway', 'run', 'replay', 'chat']),
  replay_of: z.string().nullable(),
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  status: z.enum(['running', 'done', 'failed', 'aborted']),
  /** The beginning of the question, without secrets. */
  question: z.string(),
  iterations: z.int(),
  /** The time Panoptes added to the slowest reference and the aggregator. */
  overhead_ms: z.number().nullable(),
  cost_micro_usd: z.int(),
  cost_unknown: z.int(),
  /** Whether its texts were written to a trace. */
  traced: z.boolean(),
  /** Why the texts are missing or incomplete although tracing was on. */
  trace_problem: z.string().optional(),
  /** Who asked, on a shared hub; only they may read the texts. */
  owner: z.string().optional(),
  /** Somebody else asked, so the texts are hidden. */
  of_other: z.literal(true).optional(),
  slots: z.array(turnSlot),
})
export type MoaTurn = z.infer<typeof moaTurn>

/** One reference in a trace: the keys of the first format, then ours. */
export const traceReference = z.looseObject({
  label: z.string(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  temperature: z.number().nullable(),
  input_messages: z.array(z.unknown()).nullable(),
  output: z.string().nullable(),
  /** Empty if the provider reported nothing. */
  usage: z.union([traceUsage, z.strictObject({})]),
  cost_usd: z.number().nullable(),
  cost_status: z.string().nullable(),
  cost_source: z.string().nullable(),
  ...times,
  error: errorClass.nullable(),
})
export type TraceReference = z.infer<typeof traceReference>

export const traceAggregator = z.looseObject({
  label: z.string(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  temperature: z.number().nullable(),
  input_messages: z.array(z.unknown()).nullable(),
  output: z.string().nullable(),
  streamed: z.boolean(),
  output_location: z.enum(['inline', 'inline_from_stream', 'assistant_message_in_session_db']),
  usage: z.union([traceUsage, z.strictObject({})]),
  cost_usd: z.number().nullable(),
  ...times,
  error: errorClass.nullable(),
  tool_calls: z.array(z.unknown()).optional(),
  /**
   * Whether the advice is the last message or merged into the user's last message; null if there is
   * none.
   */
  guidance: z.enum(['message', 'merged']).nullable().optional(),
  /** What was sent besides the messages: tools, limits, formats. */
  parameters: z.record(z.string(), z.unknown()).optional(),
})

/**
 * One line of a trace: a fan-out or, without references, a further call of the aggregator in its
 * turn.
 */
export const traceRecord = z.looseObject({
  /** Seconds since 1970. */
  ts: z.number(),
  session_id: z.string().nullable(),
  preset: z.string(),
  references: z.array(traceReference),
  aggregator: traceAggregator,
  turn_id: z.string(),
  iteration: z.int(),
  status: z.enum(['done', 'failed', 'aborted']),
})
export type TraceRecord = z.infer<typeof traceRecord>

export const turnsQuery = z.strictObject({
  preset: z.string().optional(),
  session: z.string().optional(),
  since: timestampQuery.optional(),
  until: timestampQuery.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
  offset: z.coerce.number().int().min(0).default(0),
})
export const turnsReply = z.object({ total: z.int(), turns: z.array(moaTurn) })

/**
 * Words an answer shares with a reference. Similarity does not prove their origin. Positions are in
 * characters.
 */
export const sharedPhrase = z.object({
  /** The index of the reference in the turn, from 0. */
  reference: z.int(),
  text: z.string(),
  answer_from: z.int(),
  answer_to: z.int(),
  reference_from: z.int(),
  reference_to: z.int(),
})
export type SharedPhrase = z.infer<typeof sharedPhrase>

/** A point that references make, and the position of each on it. */
export const moaPoint = z.object({
  text: z.string(),
  stances: z.array(z.enum(['says', 'opposes', 'silent'])),
})

export const turnAnalysis = z.object({
  /** The share of the answer whose words appear in each reference, from 0 to 1. */
  drew_on: z.array(z.number()),
  phrases: z.array(sharedPhrase),
  points: z.array(moaPoint),
  /** In a few words: `3 of 4 agree`. */
  says: z.string(),
})
export type TurnAnalysis = z.infer<typeof turnAnalysis>

export const turnReply = z.object({
  turn: moaTurn,
  /** Its trace lines in order; empty if it was not traced. */
  records: z.array(traceRecord),
  /** Replays of this turn, newest first. */
  replays: z.array(moaTurn),
  /** Null if there are no texts to compare. */
  analysis: turnAnalysis.nullable(),
})
export type TurnReply = z.infer<typeof turnReply>

/** A piece of a text diff. */
export const diffPiece = z.object({ type: z.enum(['same', 'removed', 'added']), text: z.string() })
export type DiffPiece = z.infer<typeof diffPiece>

/** The values of the turn and of the turn it is compared with. */
const beforeAndAfter = <T extends z.ZodType>(value: T) => z.object({ before: value, after: value })

export const turnDiffQuery = z.strictObject({
  /** The turn to compare with; defaults to its newest replay. */
  with: z.string().optional(),
})

/**
 * A turn compared with its replay: the last call of each, with the references it used. Texts are
 * null if one was not traced.
 */
export const turnDiff = z.object({
  before: moaTurn,
  after: moaTurn,
  references: z.array(
    z.object({
      label: z.string(),
      /**
       * `unanswered`: it failed or was not asked in both. A slot that answered in only one of them
       * has changed.
       */
      change: z.enum(['same', 'changed', 'removed', 'added', 'unanswered', 'unknown']),
      ...beforeAndAfter(turnSlot.nullable()).shape,
      text: z.array(diffPiece).nullable(),
    }),
  ),
  aggregator: beforeAndAfter(z.string().nullable()),
  /** Why the acting model did not answer; null if it did or was not asked. */
  error: beforeAndAfter(slotError.nullable()),
  guidance: z.array(diffPiece).nullable(),
  answer: z.array(diffPiece).nullable(),
  /** Null if no call reported any. */
  tokens: beforeAndAfter(traceUsage.nullable()),
  cost_micro_usd: beforeAndAfter(z.int()),
  cost_unknown: beforeAndAfter(z.int()),
  duration_ms: beforeAndAfter(z.number().nullable()),
})
export type TurnDiff = z.infer<typeof turnDiff>

/** A session with traced turns. */
export const tracedSession = z.object({
  session_id: z.string(),
  /** Absent if it is in the event store. */
  file: z.string().optional(),
  bytes: z.int(),
  modified_at: timestamp,
})
export type TracedSession = z.infer<typeof tracedSession>

export const listedPreset = z.object({
  name: z.string(),
  preset: moaPreset,
  /** The config.yaml, the shared settings of a team's hubs, or the config.yaml of Hermes. */
  from: z.enum(['config', 'team', 'hermes']),
  /** What keeps it from working: an unknown provider, or a nested preset. */
  problems: z.array(z.string()),
})
export type ListedPreset = z.infer<typeof listedPreset>
export const listedProvider = z.object({
  name: z.string(),
  kind: providerConfig.shape.kind,
  base_url: z.string().nullable(),
  from: z.enum(['config', 'environment', 'local']),
  /** The variable or file of its key; never the key itself. */
  key: z.string().nullable(),
  has_key: z.boolean(),
})
export const presetsReply = z.object({
  presets: z.array(listedPreset),
  default_preset: z.string().nullable(),
  save_traces: z.boolean(),
  /** Null if traces are in the event store. */
  trace_dir: z.string().nullable(),
  providers: z.array(listedProvider),
})
export type PresetsReply = z.infer<typeof presetsReply>

/** How one slot of a preset performed in its last turns. */
export const slotStats = z.object({
  role: turnSlot.shape.role,
  label: z.string(),
  calls: z.int(),
  failed: z.int(),
  /** How many calls were stopped because enough others answered; they are included in the calls. */
  stopped: z.int().optional(),
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  /** The mean of priced calls. */
  cost_micro_usd: z.int().nullable(),
  /** Oldest first; null if the call failed or was stopped. */
  times_ms: z.array(z.number().nullable()),
})
export const slotsQuery = z.strictObject({
  preset: z.string(),
  turns: z.coerce.number().int().min(1).max(500).default(50),
})
export const slotsReply = z.array(slotStats)
export type SlotStats = z.infer<typeof slotStats>

export const moaRunInput = z.strictObject({
  preset: z.string().optional(),
  prompt: z.string('must be a question').min(1, 'must not be empty'),
  system: z.string().optional(),
  session: z.string().min(1).max(200).optional(),
})
export type MoaRunInput = z.infer<typeof moaRunInput>

/** At most one thing may be changed. */
export const replayInput = z.strictObject({
  turn: z.string(),
  /** Another acting model, as provider/model. */
  aggregator: z.string().optional(),
  /** A reference to leave out: its label, or its number from 1. */
  without: z.string().optional(),
})
export type ReplayInput = z.infer<typeof replayInput>

/** One line of the stream while a turn runs. */
export const moaRunPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('asking'), turn_id: z.string() }),
  z.looseObject({ type: z.literal('progress'), refs_done: z.int(), refs_total: z.int(), label: z.string() }),
  z.looseObject({
    type: z.literal('reference'),
    index: z.int(),
    count: z.int(),
    label: z.string(),
    text: z.string(),
  }),
  z.looseObject({ type: z.literal('aggregating'), aggregator: z.string(), ref_count: z.int() }),
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('end'), turn: moaTurn, text: z.string() }),
  z.object({ type: z.literal('failed'), turn: moaTurn.nullable(), class: errorClass, message: z.string() }),
])
export type MoaRunPart = z.infer<typeof moaRunPart>

export const tracesInput = z.strictObject({ save: z.boolean('must be true or false') })
export const tracesReply = z.object({ save_traces: z.boolean() })
export const deletedPreset = z.object({ ok: z.literal(true), name: z.string() })

import { redactValue } from '@panoptes/engine/redact'
import type { MoaPreset, TraceRecord, TraceReference } from '@panoptes/schema'
import type { Advised } from '../fan-out.ts'
import { formatFailureNote, nonEmptyText } from '../guidance.ts'
import type { Called } from '../model-call.ts'
import { slotLabel } from '../presets.ts'
import { maskSecrets, withoutPersons } from '../privacy.ts'
import { toTraceUsage } from '../stored-turn.ts'
import type { Acted, PrivacyFilter, TurnCall } from '../turn.ts'

export interface RecordOptions {
  readonly session: string
  readonly preset: MoaPreset
  readonly privacy: PrivacyFilter
  /** Chats also store the answer as a message. */
  readonly inSessionDb?: boolean | undefined
}

/**
 * Builds one trace line. A further call of a turn has no references, because they are in the first
 * line.
 */
export function toTraceRecord(
  call: TurnCall,
  { session, preset, privacy, inSessionDb }: RecordOptions,
): TraceRecord {
  const clean = privacy === '' ? maskSecrets : withoutPersons
  return {
    ts: call.startedAt / 1_000,
    session_id: session,
    preset: call.preset,
    references: call.advised.map((one) => reference(one, preset.reference_temperature, clean)),
    aggregator: aggregator(call, preset, clean, inSessionDb === true),
    turn_id: call.turnId,
    iteration: call.iteration,
    status: call.status,
  }
}

type Clean = (text: string) => string

function reference(one: Advised, temperature: number | null, clean: Clean): TraceReference {
  const { reply, error } = one
  return {
    ...slotNames(one),
    temperature,
    input_messages: cleanValues(one.input, clean),
    output: clean(error ? formatFailureNote(error.class, error.message) : nonEmptyText(reply?.text ?? '')),
    ...spent(one),
    ...times(one),
    error: error?.class ?? null,
    ...(error && error.partial !== '' ? { partial_output: clean(error.partial) } : {}),
  }
}

function aggregator(
  call: TurnCall,
  preset: MoaPreset,
  clean: Clean,
  inSessionDb: boolean,
): TraceRecord['aggregator'] {
  const { acted } = call
  const location = inSessionDb
    ? 'assistant_message_in_session_db'
    : call.streamed
      ? 'inline_from_stream'
      : 'inline'
  if (acted === null)
    return {
      label: slotLabel(preset.aggregator),
      model: preset.aggregator.model,
      provider: preset.aggregator.provider,
      temperature: preset.aggregator_temperature,
      input_messages: null,
      output: null,
      streamed: call.streamed,
      output_location: location,
      usage: {},
      cost_usd: null,
      started_at: call.endedAt,
      first_token_at: null,
      ended_at: call.endedAt,
      error: 'aborted',
    }
  const calls = acted.reply?.message.tool_calls
  return {
    ...slotNames(acted),
    temperature: acted.temperature,
    input_messages: cleanValues(acted.input, clean),
    output: outputText(acted, clean),
    streamed: call.streamed,
    output_location: location,
    ...spent(acted),
    ...times(acted),
    error: acted.error?.class ?? null,
    ...(acted.error ? { error_message: clean(acted.error.message) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: cleanValues(calls, clean) ?? [] } : {}),
    guidance: placeOfGuidance(acted),
    parameters: cleanValues([acted.parameters], clean)[0] as Record<string, unknown>,
  }
}

/** Returns the text of the model; null if it produced none, for example only tool calls. */
function outputText({ reply, error }: Acted, clean: Clean): string | null {
  if (reply === null) return error && error.partial !== '' ? clean(error.partial) : null
  return reply.text === '' && reply.message.tool_calls !== undefined ? null : clean(reply.text)
}

const placeOfGuidance = ({ guidance, input }: Acted): 'message' | 'merged' | null =>
  guidance === null ? null : input.at(-1)?.content === guidance ? 'message' : 'merged'

const slotNames = ({ label, slot }: Called) => ({ label, model: slot.model, provider: slot.provider })

const spent = ({ usage, costMicroUsd, hasOwnPrice }: Called) => ({
  usage: usage ? toTraceUsage(usage) : {},
  cost_usd: costMicroUsd === null ? null : costMicroUsd / 1_000_000,
  cost_status: usage === null ? null : costMicroUsd === null ? 'unknown' : 'estimated',
  cost_source:
    usage === null
      ? null
      : costMicroUsd === null
        ? 'none'
        : hasOwnPrice
          ? 'user_override'
          : 'official_docs_snapshot',
})

const times = ({ startedAt, firstTokenAt, endedAt }: Called) => ({
  started_at: startedAt,
  first_token_at: firstTokenAt,
  ended_at: endedAt,
})

/** The full messages without secrets. */
function cleanValues(values: readonly unknown[], clean: Clean): unknown[] {
  const without = whole(values, redactValue(values)) as unknown[]
  return clean === maskSecrets ? without : (deep(without, clean) as unknown[])
}

/**
 * Redaction of events also shortens texts. A trace has no such limit, so the part that a longer
 * replacement pushed out is restored.
 */
function whole(before: unknown, after: unknown): unknown {
  if (before === after) return after
  if (typeof before === 'string' && typeof after === 'string') {
    const full = maskSecrets(before)
    return full.startsWith(after) ? full : after
  }
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null)
    return after
  if (Array.isArray(after)) return after.map((each, at) => whole((before as unknown[])[at], each))
  return Object.fromEntries(
    Object.entries(after).map(([name, each]) => [
      name,
      whole((before as Record<string, unknown>)[name], each),
    ]),
  )
}

function deep(value: unknown, clean: Clean): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((each) => deep(each, clean))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, deep(each, clean)]))
}

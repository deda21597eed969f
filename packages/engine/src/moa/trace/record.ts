import { redactValue } from '@panoptes/engine/redact'
import type { MoaPreset, TraceRecord, TraceReference } from '@panoptes/schema'
import type { ReferenceResult } from '../fan-out.ts'
import { formatFailureNote, nonEmptyText } from '../guidance.ts'
import type { ModelCallResult } from '../model-call.ts'
import { slotLabel } from '../presets.ts'
import { maskPersonalData, maskSecrets } from '../privacy.ts'
import { toTraceUsage } from '../stored-turn.ts'
import type { AggregatorResult, PrivacyFilter, TurnCall } from '../turn.ts'

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
  const clean = privacy === '' ? maskSecrets : maskPersonalData
  return {
    ts: call.startedAt / 1_000,
    session_id: session,
    preset: call.preset,
    references: call.advised.map((one) => toTraceReference(one, preset.reference_temperature, clean)),
    aggregator: toTraceAggregator(call, preset, clean, inSessionDb === true),
    turn_id: call.turnId,
    iteration: call.iteration,
    status: call.status,
  }
}

type Clean = (text: string) => string

function toTraceReference(one: ReferenceResult, temperature: number | null, clean: Clean): TraceReference {
  const { reply, error } = one
  return {
    ...toSlotFields(one),
    temperature,
    input_messages: cleanValues(one.input, clean),
    output: clean(error ? formatFailureNote(error.class, error.message) : nonEmptyText(reply?.text ?? '')),
    ...toCostFields(one),
    ...toTimeFields(one),
    error: error?.class ?? null,
    ...(error && error.partial !== '' ? { partial_output: clean(error.partial) } : {}),
  }
}

function toTraceAggregator(
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
    ...toSlotFields(acted),
    temperature: acted.temperature,
    input_messages: cleanValues(acted.input, clean),
    output: outputText(acted, clean),
    streamed: call.streamed,
    output_location: location,
    ...toCostFields(acted),
    ...toTimeFields(acted),
    error: acted.error?.class ?? null,
    ...(acted.error ? { error_message: clean(acted.error.message) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: cleanValues(calls, clean) ?? [] } : {}),
    guidance: guidancePlacement(acted),
    parameters: cleanValues([acted.parameters], clean)[0] as Record<string, unknown>,
  }
}

/** Returns the text of the model; null if it produced none, for example only tool calls. */
function outputText({ reply, error }: AggregatorResult, clean: Clean): string | null {
  if (reply === null) return error && error.partial !== '' ? clean(error.partial) : null
  return reply.text === '' && reply.message.tool_calls !== undefined ? null : clean(reply.text)
}

const guidancePlacement = ({ guidance, input }: AggregatorResult): 'message' | 'merged' | null =>
  guidance === null ? null : input.at(-1)?.content === guidance ? 'message' : 'merged'

const toSlotFields = ({ label, slot }: ModelCallResult) => ({
  label,
  model: slot.model,
  provider: slot.provider,
})

const toCostFields = ({ usage, costMicroUsd, hasOwnPrice }: ModelCallResult) => ({
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

const toTimeFields = ({ startedAt, firstTokenAt, endedAt }: ModelCallResult) => ({
  started_at: startedAt,
  first_token_at: firstTokenAt,
  ended_at: endedAt,
})

/** The full messages without secrets. */
function cleanValues(values: readonly unknown[], clean: Clean): unknown[] {
  const without = restoreShortened(values, redactValue(values)) as unknown[]
  return clean === maskSecrets ? without : (mapStrings(without, clean) as unknown[])
}

/**
 * Redaction of events also shortens texts. A trace has no such limit, so the part that a longer
 * replacement pushed out is restored.
 */
function restoreShortened(before: unknown, after: unknown): unknown {
  if (before === after) return after
  if (typeof before === 'string' && typeof after === 'string') {
    const full = maskSecrets(before)
    return full.startsWith(after) ? full : after
  }
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null)
    return after
  if (Array.isArray(after)) return after.map((each, at) => restoreShortened((before as unknown[])[at], each))
  return Object.fromEntries(
    Object.entries(after).map(([name, each]) => [
      name,
      restoreShortened((before as Record<string, unknown>)[name], each),
    ]),
  )
}

function mapStrings(value: unknown, clean: Clean): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, clean))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapStrings(each, clean)]))
}

import type { Outcome, StoredEvent } from '@panoptes/schema'
import { isKind, reportsFailure } from '@panoptes/schema/reading'
import type { GlyphName } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'

const w = words.events.what

/** Describes an event in one line. */
export function describe(event: StoredEvent): string {
  const text = describeParts(event)
    .filter((part) => part !== null && part !== undefined && part !== '')
    .join(' · ')
  return reportsFailure(event) ? `✕ ${text}` : text
}

const SHOWN_CHECKS = 3
type Part = string | null | undefined
type Count = number | null | undefined

function describeParts(event: StoredEvent): readonly Part[] {
  if (isKind(event, 'tool_use')) return [joinParts(event.tool, line(event.input_preview))]
  if (isKind(event, 'tool_done'))
    return [event.tool, line(event.error_preview), formatDuration(event.duration_ms)]
  if (isKind(event, 'tool_refused')) return [event.tool, w.notRun]
  if (isKind(event, 'usage'))
    return [family(event.model), ...tokens(event.input, event.output), cost(event.cost_usd)]
  if (isKind(event, 'taken_back')) return [event.of, w.takenBack]
  if (isKind(event, 'agent_spawn'))
    return [
      event.subagent_type ?? family(event.model),
      quote(event.prompt_preview),
      event.background ? w.background : null,
    ]
  if (isKind(event, 'agent_done'))
    return [
      event.outcome,
      formatCount(event.stubs, w.stubs),
      formatDuration(event.duration_ms),
      formatCost(event.cost_usd),
    ]
  if (isKind(event, 'agent_link'))
    return [event.parent_id && w.childLabel(event.parent_id), event.subagent_type]
  if (isKind(event, 'agent_wait')) return [line(event.reason)]
  if (isKind(event, 'agent_stuck'))
    return [
      w.noSign(formatDuration(event.silent_ms) ?? words.unknown, formatDuration(event.usual_ms) ?? null),
    ]
  if (isKind(event, 'agent_lost')) return [line(event.reason)]
  if (isKind(event, 'session_start')) return [event.title ?? event.project ?? event.cwd, event.reason]
  if (isKind(event, 'session_end')) return [event.reason]
  if (isKind(event, 'prompt')) return [quote(event.prompt_preview)]
  if (isKind(event, 'skill_use'))
    return [
      event.skill,
      event.success === true ? w.worked : event.success === false ? w.failed : null,
      formatDuration(event.duration_ms),
    ]
  if (isKind(event, 'status'))
    return [
      event.shipped,
      formatCount(event.stubs, w.stubs),
      ...(event.checks ?? []).slice(0, SHOWN_CHECKS).map(({ name, result }) => line(w.check(name, result))),
      event.verified && w.verified(event.verified),
      formatCount(event.follow_ups?.length || null, w.followUps),
    ]
  if (isKind(event, 'claim')) return [joinParts(event.tier, quote(event.value)), line(event.pointer)]
  if (isKind(event, 'bypass')) return [event.claims ? w.noClaims : null, event.skills ? w.noSkills : null]
  if (isKind(event, 'budget'))
    return [
      w.budget(event.budget ?? words.unknown, event.level ?? null),
      w.of(formatCost(event.spent_usd) ?? words.unknown, formatCost(event.limit_usd) ?? words.unknown),
    ]
  return [otherFields(event)]
}

export function eventGlyph(event: StoredEvent): GlyphName {
  if (reportsFailure(event)) return 'failed'
  if (isKind(event, 'agent_done')) return outcomeGlyph(event.outcome)
  if (isKind(event, 'status')) return outcomeGlyph(event.shipped)
  if (event.event === 'agent_wait') return 'waiting'
  if (isKind(event, 'budget')) return event.level === 'over' ? 'failed' : 'partial'
  if (event.event === 'agent_stuck') return 'stuck'
  if (event.event === 'agent_lost') return 'lost'
  if (event.event === 'agent_spawn' || event.event === 'session_start') return 'spawn'
  if (event.event === 'tool_use') return 'start'
  return 'plain'
}

function outcomeGlyph(outcome: Outcome | null | undefined): GlyphName {
  if (outcome === 'functional') return 'done'
  if (outcome === 'partial' || outcome === 'scaffolding') return 'partial'
  if (outcome === 'stopped' || outcome === 'lost') return outcome
  return outcome === 'fail' ? 'failed' : 'unknown'
}

/** The common name of a model, or its own if it has none. */
function family(model: string | null | undefined): Part {
  return model && (['haiku', 'sonnet', 'opus'].find((name) => model.includes(name)) ?? model)
}

function tokens(input: Count, output: Count): readonly Part[] {
  if (input == null && output == null) return [w.tokensUnknown]
  return [formatCount(input, w.in), formatCount(output, w.out)]
}

const cost = (usd: Count): string => formatCost(usd) ?? w.costUnknown
const formatCost = (usd: Count): string | undefined => (usd == null ? undefined : f.money(usd))
const formatDuration = (ms: Count): string | undefined => (ms == null ? undefined : f.duration(ms))
const formatCount = (value: Count, say: (value: number) => string): Part =>
  value == null ? null : say(value)
const joinParts = (...parts: readonly Part[]): string => parts.filter((part) => part).join(' ')
const quote = (text: string | null | undefined): Part => (text ? `“${line(text)}”` : null)

/** A preview may have many lines, but a row has only one. */
const line = (text: string | null | undefined): Part => text?.slice(0, 240).replaceAll(/\s+/g, ' ').trim()

const ENVELOPE = new Set(['v', 'key', 'seq', 'ts', 'event', 'source', 'host', 'session_id', 'agent_id', 'id'])

function otherFields(event: StoredEvent): string {
  const own = Object.entries(event).filter(([field]) => !ENVELOPE.has(field))
  return own.length === 0 ? '' : JSON.stringify(Object.fromEntries(own)).slice(0, 240)
}

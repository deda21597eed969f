import type { Counters, FieldsOf, StoredEvent } from '@panoptes/schema'
import { agentOf, isKind, saysFailed } from '@panoptes/schema/reading'
import type { Projection } from './projection.ts'
import { tally } from './tally.ts'

export const COUNTERS_KEY = 'all'

export const countersProjection: Projection<Counters> = {
  name: 'counters',
  version: 4,
  apply: (rows, event) => rows.set(COUNTERS_KEY, count(rows.get(COUNTERS_KEY) ?? zeroCounters(), event)),
  place: () => ({ group: '', tag: '', order: 0, ref: '' }),
}

export const zeroCounters = (): Counters => ({
  events: 0,
  by_kind: {},
  by_source: {},
  agents_spawned: 0,
  agents_done: 0,
  agents_failed: 0,
  tool_calls: 0,
  tool_errors: 0,
  skill_uses: 0,
  skill_successes: 0,
  claims: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read: 0,
  cache_write: 0,
  cost_micro_usd: 0,
  cost_unknown: 0,
})

function count(row: Counters, event: StoredEvent): Counters {
  row.events += 1
  tally(row.by_kind, event.event)
  tally(row.by_source, event.source)
  if (isOfSubAgent(event)) countLife(row, event)
  else if (isKind(event, 'tool_use')) row.tool_calls += 1
  else if (isKind(event, 'tool_refused')) row.tool_calls = Math.max(0, row.tool_calls - 1)
  else if (isKind(event, 'tool_done')) {
    if (event.ok === false) row.tool_errors += 1
  } else if (isKind(event, 'skill_use')) {
    row.skill_uses += 1
    if (event.success === true) row.skill_successes += 1
  } else if (isKind(event, 'claim')) row.claims += 1
  else if (isKind(event, 'usage')) {
    row.tokens_in = sum(row.tokens_in, event.input)
    row.tokens_out = sum(row.tokens_out, event.output)
    row.cache_read = sum(row.cache_read, event.cache_read)
    row.cache_write = sum(row.cache_write, event.cache_write)
    if (event.cost_usd === undefined || event.cost_usd === null) row.cost_unknown += 1
    else row.cost_micro_usd = sum(row.cost_micro_usd, Math.round(event.cost_usd * 1_000_000))
  } else if (isKind(event, 'taken_back')) takeBack(row, event)
  return row
}

function takeBack(row: Counters, event: FieldsOf<'taken_back'>): void {
  if (event.of === 'claim') row.claims = less(row.claims, event.claims)
  if (event.of !== 'usage') return
  row.tokens_in = less(row.tokens_in, event.input)
  row.tokens_out = less(row.tokens_out, event.output)
  row.cache_read = less(row.cache_read, event.cache_read)
  row.cache_write = less(row.cache_write, event.cache_write)
  if (event.cost_usd === undefined || event.cost_usd === null) row.cost_unknown = less(row.cost_unknown, 1)
  else row.cost_micro_usd = less(row.cost_micro_usd, Math.round(event.cost_usd * 1_000_000))
}

const less = (so: number, by: number | null | undefined): number => Math.max(0, so - (by ?? 0))

const LIVES: ReadonlySet<string> = new Set(['agent_spawn', 'agent_done', 'agent_lost'])

/** Turns of a session's own agent are none of them. */
function isOfSubAgent(event: StoredEvent): boolean {
  if (!LIVES.has(event.event) || event.from_hook === true) return false
  const id = agentOf(event)
  return id !== undefined && id !== 'main' && id !== event.session_id
}

function countLife(row: Counters, event: StoredEvent): void {
  if (event.event === 'agent_spawn') row.agents_spawned += 1
  else if (saysFailed(event)) row.agents_failed += 1
  else row.agents_done += 1
}

/** Sums stop where whole numbers stop being exact: beyond, a sum in memory and one read from JSON would part. */
const sum = (so: number, more: number | null | undefined): number =>
  Math.min(Number.MAX_SAFE_INTEGER, so + (more ?? 0))

import type { Counters, FieldsOf, StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import type { Projection } from './projection.ts'
import { createSubAgentCounts, type SubAgentCounts } from './sub-agent-counts.ts'
import { tally } from './tally.ts'

export const COUNTERS_KEY = 'all'

export const countersProjection: Projection<Counters> = {
  name: 'counters',
  version: 6,
  apply: (rows, event, subAgents) => {
    const row = count(rows.get(COUNTERS_KEY) ?? zeroCounters(), event)
    if (subAgents !== undefined) countSubAgents(row, subAgents)
    rows.set(COUNTERS_KEY, row)
  },
  place: () => ({ group: '', tag: '', order: 0, ref: '' }),
}

export const zeroCounters = (): Counters => ({
  events: 0,
  by_kind: {},
  by_source: {},
  ...createSubAgentCounts(),
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
  if (isKind(event, 'tool_use')) row.tool_calls += 1
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

/** Counts that an older version stored for dropped events may be too low or missing. */
function countSubAgents(row: Counters, changes: SubAgentCounts): void {
  for (const name of Object.keys(changes) as (keyof SubAgentCounts)[])
    row[name] = Math.max(0, (row[name] ?? 0) + changes[name])
}

/**
 * Sums stop where whole numbers stop being exact. Beyond that, a sum in memory and one read from JSON would
 * differ.
 */
const sum = (so: number, more: number | null | undefined): number =>
  Math.min(Number.MAX_SAFE_INTEGER, so + (more ?? 0))

import type { Counters, StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { type CounterRow, followLives, isLife, isMakingCall, isOver } from './lives.ts'
import type { Projection } from './projection.ts'
import { tally } from './tally.ts'

export const COUNTERS_KEY = 'all'

export const countersProjection: Projection<CounterRow> = {
  name: 'counters',
  version: 3,
  apply: (rows, event) => {
    const row = rows.get(COUNTERS_KEY)
    const counters = isCounters(row) ? row : zeroCounters()
    count(counters, event)
    if (event.from_hook !== true && MAKE_OR_END.has(event.event)) {
      // Sub-agents, each once: how many there were, and what became of those that are over.
      const more = followLives(rows, event)
      counters.agents_spawned += more.spawned
      counters.agents_done += more.done
      counters.agents_failed += more.failed
    }
    rows.set(COUNTERS_KEY, counters)
  },
  place: (row) => {
    if (isLife(row)) return { group: row.life_of, tag: isOver(row) ? 'over' : 'alive', order: 0, ref: '' }
    return { group: isMakingCall(row) ? row.call_of : '', tag: '', order: 0, ref: '' }
  },
}

const MAKE_OR_END: ReadonlySet<string> = new Set([
  'agent_spawn',
  'agent_link',
  'agent_done',
  'agent_lost',
  'session_end',
])

const isCounters = (row: CounterRow | undefined): row is Counters => row !== undefined && 'by_kind' in row

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

function count(row: Counters, event: StoredEvent): void {
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
  }
}

/** Sums stop where whole numbers stop being exact: beyond, a sum in memory and one read from JSON would part. */
const sum = (so: number, more: number | null | undefined): number =>
  Math.min(Number.MAX_SAFE_INTEGER, so + (more ?? 0))

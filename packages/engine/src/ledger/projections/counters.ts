import type { Counters, StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { followLives, isOfLife, type Lives, newLives } from './lives.ts'
import { type Projection, type Rows, rowKey } from './projection.ts'
import { tally } from './tally.ts'

export const COUNTERS_KEY = 'all'

export const countersProjection: Projection<Counters | Lives> = {
  name: 'counters',
  version: 3,
  apply: (rows, event) => {
    const row = rows.get(COUNTERS_KEY)
    const counters = row === undefined || isLives(row) ? zeroCounters() : row
    count(counters, event)
    if (isOfLife(event)) countLives(rows, counters, event)
    rows.set(COUNTERS_KEY, counters)
  },
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

const isLives = (row: Counters | Lives): row is Lives => 'lives_of' in row

/** Sub-agents, each once: how many there were, and what became of those that are over. */
function countLives(rows: Rows<Counters | Lives>, row: Counters, event: StoredEvent): void {
  const key = rowKey(event.source, event.session_id)
  const known = rows.get(key)
  if (known === undefined && event.event === 'session_end') return
  const lives = known === undefined || !isLives(known) ? newLives(key) : known
  const more = followLives(lives, event)
  row.agents_spawned += more.spawned
  row.agents_done += more.done
  row.agents_failed += more.failed
  if (known !== undefined || Object.keys(lives.agents).length + lives.failed.length > 0) rows.set(key, lives)
}

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

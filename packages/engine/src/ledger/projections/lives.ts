import type { Counters, StoredEvent } from '@panoptes/schema'
import { agentOf, isKind, saysFailed } from '@panoptes/schema/reading'
import { type Rows, rowKey } from './projection.ts'

/** What is remembered of one sub-agent, so that it is counted once whoever tells of it. */
interface Life {
  readonly life_of: string
  starts: number
  /** The last beginning that it ended by its own word, or with its session. */
  stops: number
  /** The calls that made it, as far as they ended. */
  calls: string[]
  failed: boolean
}

/** A call that makes agents: the one it made, once that is known, and whether it failed before. */
interface MakingCall {
  readonly call_of: string
  agent: string | null
  failed: boolean
}

/** How many sub-agents there are, how many of them are done, and how many failed. */
interface LifeCount {
  spawned: number
  done: number
  failed: number
}

/** The sums, and what they are made from. */
export type CounterRow = Counters | Life | MakingCall
const MAIN = 'main'
const MOST_CALLS = 64

export const isLife = (row: CounterRow | undefined): row is Life => row !== undefined && 'life_of' in row
export const isMakingCall = (row: CounterRow | undefined): row is MakingCall =>
  row !== undefined && 'call_of' in row
export const isOver = ({ starts, stops, calls }: Life): boolean =>
  Math.max(stops, calls.length) >= Math.max(starts, 1)

/** Takes the event in, and answers by how much it changes the count. */
export function followLives(rows: Rows<CounterRow>, event: StoredEvent): LifeCount {
  const group = rowKey(event.source, event.session_id)
  const count = { spawned: 0, done: 0, failed: 0 }

  const change = (id: string, by: (life: Life) => void) => {
    const key = rowKey(group, id)
    const known = rows.get(key)
    const life = isLife(known) ? known : { life_of: group, starts: 0, stops: 0, calls: [], failed: false }
    if (isLife(known)) add(count, life, -1)
    by(life)
    add(count, life, 1)
    rows.set(key, life)
  }

  const named = agentOf(event)
  if (event.event === 'session_end') {
    for (const [key, row] of rows.alive(group)) {
      if (!isLife(row)) continue
      add(count, row, -1)
      row.stops = Math.max(row.starts, 1)
      add(count, row, 1)
      rows.set(key, row)
    }
  } else if (named === MAIN || named === event.session_id) return count
  else if (isKind(event, 'agent_link')) link(rows, group, event, change, count)
  else if (named !== undefined && event.event === 'agent_spawn')
    change(named, (life) => {
      life.starts += 1
      if (life.starts > 1) life.failed = false
    })
  else if (named !== undefined && (event.event === 'agent_done' || event.event === 'agent_lost'))
    change(named, (life) => {
      life.stops = Math.max(life.starts, 1)
      if (saysFailed(event)) life.failed = true
    })
  return count
}

interface Link {
  readonly id?: string | null | undefined
  readonly tool_use_id?: string | null | undefined
  readonly status?: string | null | undefined
}

function link(
  rows: Rows<CounterRow>,
  group: string,
  { id, tool_use_id: call, status }: Link,
  change: (id: string, by: (life: Life) => void) => void,
  count: LifeCount,
): void {
  const key = rowKey(group, 'call', call ?? '')
  const found = rows.get(key)
  const known = isMakingCall(found) ? found : { call_of: group, agent: null, failed: false }
  const agent = id || known.agent
  const failed = status === 'failed' || known.failed
  if (call) rows.set(key, { ...known, agent, failed: failed && agent === null })
  if (agent === null) return
  const alias = call && call !== agent ? rows.get(rowKey(group, call)) : undefined
  if (call && isLife(alias)) {
    // It was told of under the name of its call.
    add(count, alias, -1)
    rows.remove(rowKey(group, call))
    if (!isLife(rows.get(rowKey(group, agent)))) {
      add(count, alias, 1)
      rows.set(rowKey(group, agent), alias)
    }
  }
  change(agent, (life) => {
    if (!failed && status !== 'completed') return
    if (!life.calls.includes(call ?? '')) life.calls = [...life.calls, call ?? ''].slice(-MOST_CALLS)
    if (failed) life.failed = true
  })
}

function add(count: LifeCount, life: Life, by: 1 | -1): void {
  count.spawned += by
  if (isOver(life)) count[life.failed ? 'failed' : 'done'] += by
}

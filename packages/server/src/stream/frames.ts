import type { EventRow, EventStore } from '@panoptes/engine/store'
import type { AchievementItem, AchievementsView, Agent, AgentIdentity } from '@panoptes/schema'

/** A larger frame would delay its first event too long for the reader. */
const FRAME_BYTES = 262_144
const BATCH_CACHE_SIZE = 16

export const PING = Buffer.from('{"type":"ping"}')

const snapshotFrame = (seq: number, alive: readonly Agent[], leftOut: number): string =>
  JSON.stringify({ type: 'snapshot', seq, alive, ...(leftOut > 0 ? { alive_left_out: leftOut } : {}) })

/** Takes each agent as JSON text. */
export function agentsFrame(seq: number, agents: readonly string[], gone: readonly AgentIdentity[]): string {
  const end = gone.length > 0 ? `,"gone":${JSON.stringify(gone)}` : ''
  return `{"type":"agents","seq":${seq},"data":[${agents.join(',')}]${end}}`
}

export const unlockedFrame = (view: AchievementsView, achievements: readonly AchievementItem[]): string =>
  JSON.stringify({ type: 'unlocked', view, achievements })

export const gapFrame = (from: number, to: number): string => JSON.stringify({ type: 'gap', from, to })

/** A frame, and the seq of its last event. */
export interface Frame {
  readonly data: Buffer
  readonly last: number
}

/** Builds frames from the stored JSON of events, once for all clients at the same position. */
export class Frames {
  readonly #events = new WeakMap<EventRow, Buffer>()
  readonly #batches = new Map<string, Frame>()

  event(row: EventRow): Buffer {
    const cached = this.#events.get(row)
    if (cached) return cached
    const data = Buffer.from(`{"type":"event","data":${row.json}}`)
    this.#events.set(row, data)
    return data
  }

  /** Puts as many rows into one frame as fit, starting at `from`. */
  batch(rows: readonly EventRow[], from: number): Frame {
    const key = `${rows[from]?.seq}-${rows.at(-1)?.seq}`
    const cached = this.#batches.get(key)
    if (cached) return cached
    let bytes = 0
    let end = from
    while (end < rows.length && bytes < FRAME_BYTES) {
      bytes += (rows[end] as EventRow).json.length
      end += 1
    }
    const taken = rows.slice(from, end)
    const data = Buffer.from(`{"type":"batch","data":[${taken.map((row) => row.json).join(',')}]}`)
    const frame = { data, last: taken.at(-1)?.seq ?? 0 }
    for (const oldest of this.#batches.keys()) {
      if (this.#batches.size < BATCH_CACHE_SIZE) break
      this.#batches.delete(oldest)
    }
    this.#batches.set(key, frame)
    return frame
  }
}

interface Snapshot {
  readonly seq: number
  readonly alive: readonly Agent[]
  readonly frame: string
}

/**
 * Reads the living agents and how many more there are than fit into a frame; undefined if the store cannot be read.
 */
export async function readSnapshot(store: EventStore, most: number): Promise<Snapshot | undefined> {
  const [alive, count] = await Promise.all([
    store.agents({ states: ['working', 'waiting', 'stuck'], limit: most }),
    store.aliveCount(),
  ])
  if (!alive.ok || !count.ok) return undefined
  const { seq, value } = alive.value
  // The count may change between the two reads; agents can be missing only from a full list.
  const leftOut = value.length < most ? 0 : count.value - value.length
  return { seq, alive: value, frame: snapshotFrame(seq, value, leftOut) }
}

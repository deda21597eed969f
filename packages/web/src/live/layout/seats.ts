/** Where on their rings the agents of one session sit. Whoever sits keeps the seat until they leave. */
export interface Seats {
  /** Seats for exactly these, parents before children; answers each one's ring and angle, as a part of a turn. */
  readonly seat: (nodes: readonly SeatNode[]) => readonly Seat[]
  /** Radii of the rings in use, innermost first. */
  readonly rings: () => readonly number[]
}

export interface SeatNode {
  readonly key: string
  /** Index of the parent among the nodes; -1 for the middle. */
  readonly parent: number
  readonly depth: number
}

export interface Seat {
  readonly ring: number
  readonly turn: number
}

interface Ring {
  slots: number
  readonly taken: Map<number, string>
}

const FIRST_RADIUS = 92
const RING_GAP = 66
const CHORD = 42
const FIRST_SLOTS = 12
const MORE_SLOTS = 8
const REMEMBERED = 2_000

export function createSeats(): Seats {
  const rings: Ring[] = []
  /** Also of those who left: whoever comes back, as when time is scrubbed, gets the old seat if it is free. */
  const turns = new Map<string, number>()
  let used = 0

  const ringAt = (depth: number): Ring => {
    while (rings.length < depth)
      rings.push({ slots: FIRST_SLOTS + MORE_SLOTS * rings.length, taken: new Map() })
    return rings[depth - 1] as Ring
  }

  const leave = (depths: ReadonlyMap<string, number>) => {
    for (const [i, ring] of rings.entries())
      for (const [slot, key] of ring.taken) if (depths.get(key) !== i + 1) ring.taken.delete(slot)
  }

  const take = (ring: Ring, key: string, wanted: number | null): number => {
    if (ring.taken.size >= ring.slots) widen(ring)
    const before = turns.get(key)
    const slot =
      before === undefined
        ? wanted === null
          ? loneliest(ring)
          : nearest(ring, wanted)
        : nearest(ring, before)
    ring.taken.set(slot, key)
    const turn = slot / ring.slots
    turns.delete(key)
    turns.set(key, turn)
    return turn
  }

  return {
    seat: (nodes) => {
      leave(new Map(nodes.map((node) => [node.key, node.depth])))
      used = Math.max(0, ...nodes.map((node) => node.depth))
      const sitting = new Map<string, number>()
      for (const ring of rings) for (const [slot, key] of ring.taken) sitting.set(key, slot / ring.slots)
      const seats: Seat[] = []
      for (const node of nodes) {
        if (node.depth === 0) {
          seats.push({ ring: 0, turn: 0 })
          continue
        }
        const ring = ringAt(node.depth)
        const wanted = node.depth === 1 ? null : (seats[node.parent]?.turn ?? 0)
        const turn = sitting.get(node.key) ?? take(ring, node.key, wanted)
        seats.push({ ring: node.depth, turn })
      }
      for (const key of [...turns.keys()].slice(0, Math.max(0, turns.size - REMEMBERED - nodes.length)))
        turns.delete(key)
      return seats
    },
    rings: () => radii(rings.slice(0, used)),
  }
}

/** Twice the slots; every second one is an old one, so that nobody's angle changes. */
function widen(ring: Ring): void {
  const before = [...ring.taken]
  ring.slots *= 2
  ring.taken.clear()
  for (const [slot, key] of before) ring.taken.set(slot * 2, key)
}

function radii(rings: readonly Ring[]): readonly number[] {
  let last = FIRST_RADIUS - RING_GAP
  return rings.map((ring) => {
    last = Math.max(last + RING_GAP, (ring.slots * CHORD) / (2 * Math.PI))
    return last
  })
}

/** The free slot that is farthest from everyone. */
function loneliest(ring: Ring): number {
  if (ring.taken.size === 0) return Math.round(ring.slots / 12)
  let best = 0
  let most = -1
  for (let slot = 0; slot < ring.slots; slot += 1) {
    if (ring.taken.has(slot)) continue
    let lonely = ring.slots
    for (const other of ring.taken.keys()) lonely = Math.min(lonely, apart(slot, other, ring.slots))
    if (lonely > most) {
      most = lonely
      best = slot
    }
  }
  return best
}

/** The free slot that is nearest to an angle. */
function nearest(ring: Ring, turn: number): number {
  const middle = Math.round(turn * ring.slots)
  for (let off = 0; off <= ring.slots; off += 1) {
    for (const side of [middle + off, middle - off]) {
      const slot = ((side % ring.slots) + ring.slots) % ring.slots
      if (!ring.taken.has(slot)) return slot
    }
  }
  return 0
}

const apart = (a: number, b: number, slots: number): number =>
  Math.min(Math.abs(a - b), slots - Math.abs(a - b))

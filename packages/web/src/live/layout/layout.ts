import { createPacker, type Size } from './packer.ts'

export interface LayoutSession {
  readonly key: string
  readonly nodes: readonly SeatNode[]
  readonly pills: number
}

export interface PlacedSession {
  /** The position of `main`. */
  readonly x: number
  readonly y: number
  readonly rings: readonly number[]
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
}

export interface Placement {
  /** x and y of every node, session by session, in the order of the request. */
  readonly points: Float32Array
  readonly sessions: readonly PlacedSession[]
}

export interface Layout {
  readonly place: (sessions: readonly LayoutSession[], aspect: number) => Placement
}

/** Rings are wider than high because labels need room at their sides. */
export const STRETCH = 1.16
export const PILL_ROW = 40
const LABEL_ROOM = 66
const TITLE_ROOM = 92
const FOOT_ROOM = 50
const LEAST_RADIUS = 34

/** Places agents on the rings of their session, and sessions beside each other. Existing positions stay. */
export function createLayout(): Layout {
  const seats = new Map<string, Seats>()
  const packer = createPacker()
  return {
    place: (sessions, aspect) => {
      for (const key of seats.keys())
        if (seats.size > sessions.length + 500 && !sessions.some((one) => one.key === key)) seats.delete(key)
      const seated = sessions.map((session) => {
        const own = seats.get(session.key) ?? createSeats()
        seats.set(session.key, own)
        return { session, taken: own.assignSeats(session.nodes), rings: own.rings() }
      })
      const boxes = packer.pack(
        seated.map(({ session, rings }) => sessionSize(session, rings)),
        aspect,
      )
      const points = new Float32Array(2 * sessions.reduce((sum, one) => sum + one.nodes.length, 0))
      let at = 0
      const placed = seated.map(({ taken, rings }, i): PlacedSession => {
        const box = boxes[i] ?? { x: 0, y: 0, width: 0, height: 0 }
        const outer = Math.max(LEAST_RADIUS, rings.at(-1) ?? 0)
        const x = box.x + box.width / 2
        const y = box.y + TITLE_ROOM + outer
        for (const seat of taken) {
          const radius = seat.ring === 0 ? 0 : (rings[seat.ring - 1] ?? outer)
          const angle = (seat.turn - 0.25) * 2 * Math.PI
          points[at] = x + Math.cos(angle) * radius * STRETCH
          points[at + 1] = y + Math.sin(angle) * radius
          at += 2
        }
        return { x, y, rings, box }
      })
      return { points, sessions: placed }
    },
  }
}

function sessionSize(session: LayoutSession, rings: readonly number[]): Size {
  const outer = Math.max(LEAST_RADIUS, rings.at(-1) ?? 0)
  const pillRows = Math.ceil(session.pills / 2)
  return {
    key: session.key,
    width: 2 * (outer * STRETCH + LABEL_ROOM),
    height: TITLE_ROOM + 2 * outer + FOOT_ROOM + pillRows * PILL_ROW,
  }
}

/** The seats of one session's agents on its rings. An agent keeps its seat until it leaves. */
interface Seats {
  /** Assigns seats to exactly these agents, parents before children; returns each one's ring and angle as a part of a turn. */
  readonly assignSeats: (nodes: readonly SeatNode[]) => readonly Seat[]
  /** The radii of the used rings, innermost first. */
  readonly rings: () => readonly number[]
}

export interface SeatNode {
  readonly key: string
  /** The index of the parent among the nodes; -1 for the center. */
  readonly parent: number
  readonly depth: number
}

interface Seat {
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

function createSeats(): Seats {
  const rings: Ring[] = []
  /** Includes agents that left: one that returns, as when time is scrubbed, gets its old seat if it is free. */
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
          ? findLoneliestSlot(ring)
          : findNearestSlot(ring, wanted)
        : findNearestSlot(ring, before)
    ring.taken.set(slot, key)
    const turn = slot / ring.slots
    turns.delete(key)
    turns.set(key, turn)
    return turn
  }

  return {
    assignSeats: (nodes) => {
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

/** Doubles the slots; every second one is an old one, so that no angle changes. */
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

/** The free slot farthest from all others. */
function findLoneliestSlot(ring: Ring): number {
  if (ring.taken.size === 0) return Math.round(ring.slots / 12)
  let best = 0
  let most = -1
  for (let slot = 0; slot < ring.slots; slot += 1) {
    if (ring.taken.has(slot)) continue
    let lonely = ring.slots
    for (const other of ring.taken.keys()) lonely = Math.min(lonely, slotDistance(slot, other, ring.slots))
    if (lonely > most) {
      most = lonely
      best = slot
    }
  }
  return best
}

/** The free slot nearest to an angle. */
function findNearestSlot(ring: Ring, turn: number): number {
  const middle = Math.round(turn * ring.slots)
  for (let off = 0; off <= ring.slots; off += 1) {
    for (const side of [middle + off, middle - off]) {
      const slot = ((side % ring.slots) + ring.slots) % ring.slots
      if (!ring.taken.has(slot)) return slot
    }
  }
  return 0
}

const slotDistance = (a: number, b: number, slots: number): number =>
  Math.min(Math.abs(a - b), slots - Math.abs(a - b))

import { createPacker, type Size } from './pack.ts'
import { createSeats, type SeatNode, type Seats } from './seats.ts'

export interface LayoutSession {
  readonly key: string
  readonly nodes: readonly SeatNode[]
  readonly pills: number
}

export interface PlacedSession {
  /** Where `main` is. */
  readonly x: number
  readonly y: number
  readonly rings: readonly number[]
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
}

export interface Placement {
  /** In the order that was asked: x and y of every node, session by session. */
  readonly points: Float32Array
  readonly sessions: readonly PlacedSession[]
}

export interface Layout {
  readonly place: (sessions: readonly LayoutSession[], aspect: number) => Placement
}

/** Rings are wider than they are high: names need room at their sides. */
export const STRETCH = 1.16
export const PILL_ROW = 40
const LABEL_ROOM = 66
const TITLE_ROOM = 92
const FOOT_ROOM = 50
const LEAST_RADIUS = 34

/** Places agents on the rings of their session and sessions beside each other. Whoever stands, stays. */
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
        return { session, taken: own.seat(session.nodes), rings: own.rings() }
      })
      const boxes = packer.pack(
        seated.map(({ session, rings }) => sizeOf(session, rings)),
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

function sizeOf(session: LayoutSession, rings: readonly number[]): Size {
  const outer = Math.max(LEAST_RADIUS, rings.at(-1) ?? 0)
  const pillRows = Math.ceil(session.pills / 2)
  return {
    key: session.key,
    width: 2 * (outer * STRETCH + LABEL_ROOM),
    height: TITLE_ROOM + 2 * outer + FOOT_ROOM + pillRows * PILL_ROW,
  }
}

import type { Rect } from './labels.ts'
export interface Size {
  readonly key: string
  readonly width: number
  readonly height: number
}

/** Above this number, sessions are arranged in rows. */
const CORNERS_UP_TO = 120

/** Keeps the position of each session. A new session goes where it enlarges the plane least; the others stay. */
export function createPacker(): {
  readonly pack: (sizes: readonly Size[], aspect: number) => readonly Rect[]
} {
  let placed = new Map<string, Rect>()
  return {
    pack: (sizes, aspect) => {
      const previous = new Map<string, Rect>()
      for (const size of sizes) {
        const before = placed.get(size.key)
        if (before) previous.set(size.key, { ...before, width: size.width, height: size.height })
      }
      const fits = previous.size > 0 && !anyOverlap([...previous.values()]) && !isWasteful(previous)
      const next = fits ? previous : new Map<string, Rect>()
      if (sizes.length > CORNERS_UP_TO && next.size < sizes.length) placed = packRows(sizes, aspect)
      else {
        for (const size of sizes) if (!next.has(size.key)) next.set(size.key, placeOne(size, next, aspect))
        placed = next
      }
      return sizes.map(
        (size) => placed.get(size.key) ?? { x: 0, y: 0, width: size.width, height: size.height },
      )
    },
  }
}

function placeOne(size: Size, placed: ReadonlyMap<string, Rect>, aspect: number): Rect {
  const boxes = [...placed.values()]
  const whole = boundingBox(boxes)
  const corners: (readonly [number, number])[] = boxes.length === 0 ? [[0, 0]] : []
  for (const box of boxes) {
    const right = box.x + box.width
    const below = box.y + box.height
    corners.push([right, box.y], [box.x, below], [right, whole.y], [whole.x, below])
  }
  let best: Rect | null = null
  let least = Number.POSITIVE_INFINITY
  for (const [x, y] of corners) {
    const box = { x, y, width: size.width, height: size.height }
    const grown = boundingBox([...boxes, box])
    const cost = Math.max(grown.width / aspect, grown.height) + (x - whole.x + (y - whole.y)) / 1_000
    if (cost >= least || boxes.some((other) => overlap(box, other))) continue
    best = box
    least = cost
  }
  return best ?? { x: whole.x, y: whole.y + whole.height, width: size.width, height: size.height }
}

function packRows(sizes: readonly Size[], aspect: number): Map<string, Rect> {
  const area = sizes.reduce((sum, size) => sum + size.width * size.height, 0)
  const limit = Math.sqrt(area * aspect)
  const rows = new Map<string, Rect>()
  let x = 0
  let y = 0
  let tallest = 0
  for (const size of sizes) {
    if (x > 0 && x + size.width > limit) {
      x = 0
      y += tallest
      tallest = 0
    }
    rows.set(size.key, { x, y, width: size.width, height: size.height })
    x += size.width
    tallest = Math.max(tallest, size.height)
  }
  return rows
}

/** Much of the plane is empty because sessions left, so it is packed again. */
function isWasteful(placed: ReadonlyMap<string, Rect>): boolean {
  const boxes = [...placed.values()]
  const whole = boundingBox(boxes)
  const area = boxes.reduce((sum, box) => sum + box.width * box.height, 0)
  return whole.width * whole.height > area * 3
}

export function boundingBox(boxes: readonly Rect[]): Rect {
  if (boxes.length === 0) return { x: 0, y: 0, width: 0, height: 0 }
  const x = Math.min(...boxes.map((box) => box.x))
  const y = Math.min(...boxes.map((box) => box.y))
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  }
}

export const overlap = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

function anyOverlap(boxes: readonly Rect[]): boolean {
  return boxes.some((box, i) => boxes.slice(i + 1).some((other) => overlap(box, other)))
}

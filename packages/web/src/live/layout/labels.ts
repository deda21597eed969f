export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface LabelAsk {
  readonly key: string
  readonly x: number
  readonly y: number
  /** Half of what the mark itself takes. */
  readonly radius: number
  readonly width: number
  readonly height: number
  /** Lower comes first. */
  readonly priority: number
  /** Where the middle of its eye lies: names stand on the far side of it. */
  readonly towards: number
}

export interface PlacedLabel {
  readonly key: string
  readonly rect: Rect
  readonly align: 'left' | 'center' | 'right'
}

const GAP = 6
const CELL = 64

/** Names where there is room for them: the most important first, never over each other or over a mark. */
export function placeLabels(
  asks: readonly LabelAsk[],
  blocked: readonly Rect[],
  within?: Rect,
): readonly PlacedLabel[] {
  const taken = createGrid()
  for (const rect of blocked) taken.add(rect)
  const placed: PlacedLabel[] = []
  const order = [...asks].sort((a, b) => a.priority - b.priority || (a.key < b.key ? -1 : 1))
  for (const ask of order) {
    for (const place of placesOf(ask)) {
      if (taken.hits(place.rect) || (within && !isInside(place.rect, within))) continue
      taken.add(place.rect)
      placed.push({ key: ask.key, ...place })
      break
    }
  }
  return placed
}

type Place = Omit<PlacedLabel, 'key'>

function placesOf(ask: LabelAsk): readonly Place[] {
  const { x, y, width, height } = ask
  const off = ask.radius + GAP
  const at = (left: number, top: number, align: Place['align']): Place => ({
    rect: { x: left, y: top, width, height },
    align,
  })
  const right = at(x + off, y - height / 2, 'left')
  const left = at(x - off - width, y - height / 2, 'right')
  const below = at(x - width / 2, y + off - 2, 'center')
  const above = at(x - width / 2, y - off - height + 2, 'center')
  const sides = ask.towards > x ? [left, below, above, right] : [right, below, above, left]
  return Math.abs(ask.towards - x) < 12 ? [below, above, right, left] : sides
}

/** Rectangles by the cells they lie in, so that a test looks only at neighbours. */
function createGrid() {
  const cells = new Map<string, Rect[]>()
  const each = (rect: Rect, visit: (cell: string) => boolean | undefined): boolean => {
    const right = Math.floor((rect.x + rect.width) / CELL)
    const bottom = Math.floor((rect.y + rect.height) / CELL)
    for (let column = Math.floor(rect.x / CELL); column <= right; column += 1)
      for (let row = Math.floor(rect.y / CELL); row <= bottom; row += 1)
        if (visit(`${column}:${row}`)) return true
    return false
  }
  return {
    add: (rect: Rect) =>
      each(rect, (cell) => {
        const there = cells.get(cell)
        if (there) there.push(rect)
        else cells.set(cell, [rect])
        return false
      }),
    hits: (rect: Rect): boolean =>
      each(rect, (cell) => cells.get(cell)?.some((other) => touches(rect, other)) ?? false),
  }
}

const isInside = (a: Rect, b: Rect): boolean =>
  a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height

export const touches = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

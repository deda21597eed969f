export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Size {
  readonly width: number
  readonly height: number
}

export interface LabelAsk {
  readonly key: string
  readonly x: number
  readonly y: number
  /** Half of the size of the mark. */
  readonly radius: number
  readonly width: number
  readonly height: number
  /** Its size with shorter and shorter text, used if the whole does not fit. */
  readonly shorter?: readonly Size[]
  /** It may cover a mark if there is no free place. */
  readonly must?: boolean
  /** Lower priorities come first. */
  readonly priority: number
  /** The center of its session; labels stand on the far side of it. */
  readonly towards: number
}

export interface PlacedLabel {
  readonly key: string
  readonly rect: Rect
  readonly align: 'left' | 'center' | 'right'
  /** How often it was shortened. */
  readonly short: number
}

const GAP = 6
const CELL = 64

/** Places labels by priority, never over each other, and over a mark only if they must be shown. */
export function placeLabels(
  asks: readonly LabelAsk[],
  blocked: readonly Rect[],
  marks: readonly Rect[],
  within?: Rect,
): readonly PlacedLabel[] {
  const taken = createGrid()
  for (const rect of blocked) taken.add(rect)
  const marked = createGrid()
  for (const rect of marks) marked.add(rect)
  const placed: PlacedLabel[] = []
  const order = [...asks].sort((a, b) => a.priority - b.priority || (a.key < b.key ? -1 : 1))
  const isOpen = ({ rect }: Place) => !taken.hits(rect) && (!within || isInside(rect, within))
  const isFree = (place: Place) => !marked.hits(place.rect) && isOpen(place)
  for (const ask of order) {
    const sizes = [ask, ...(ask.shorter ?? [])]
    const least = sizes.length - 1
    let short = 0
    let place = candidatePlaces(ask, ask).find(isFree)
    while (place === undefined && short < least) {
      short += 1
      place = candidatePlaces(ask, sizes[short] ?? ask).find(isFree)
    }
    if (place === undefined && ask.must)
      place = findLeastCovered(marks, candidatePlaces(ask, sizes[least] ?? ask).filter(isOpen))
    if (place === undefined) continue
    taken.add(place.rect)
    placed.push({ key: ask.key, ...place, short })
  }
  return placed
}

type Place = Pick<PlacedLabel, 'rect' | 'align'>

/** From here on a label may stand only right beside its mark. */
const ORDINARY = 4
/** How far above the center of its mark a diagonal label begins. */
const ASLANT = 8

function candidatePlaces(ask: LabelAsk, size: Size): readonly Place[] {
  const { x, y } = ask
  const { width, height } = size
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
  const near = Math.abs(ask.towards - x) < 12 ? [below, above, right, left] : sides
  if (ask.priority >= ORDINARY) return near
  const aslant = [above, below].flatMap(({ rect }) => [
    at(x - ASLANT, rect.y, 'left'),
    at(x + ASLANT - width, rect.y, 'right'),
  ])
  return [...near, ...(ask.towards > x ? aslant.toReversed() : aslant)]
}

/** The place that covers the marks least. */
function findLeastCovered(marks: readonly Rect[], places: readonly Place[]): Place | undefined {
  const coveredArea = ({ rect }: Place) => marks.reduce((sum, mark) => sum + overlapArea(rect, mark), 0)
  return places.map((place) => ({ place, over: coveredArea(place) })).sort((a, b) => a.over - b.over)[0]
    ?.place
}

const overlapArea = (a: Rect, b: Rect): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y))

/** Rectangles by the cells they lie in, so that a test looks only at neighbors. */
function createGrid() {
  const cells = new Map<string, Rect[]>()
  const someCell = (rect: Rect, visit: (cell: string) => boolean | undefined): boolean => {
    const right = Math.floor((rect.x + rect.width) / CELL)
    const bottom = Math.floor((rect.y + rect.height) / CELL)
    for (let column = Math.floor(rect.x / CELL); column <= right; column += 1)
      for (let row = Math.floor(rect.y / CELL); row <= bottom; row += 1)
        if (visit(`${column}:${row}`)) return true
    return false
  }
  return {
    add: (rect: Rect) =>
      someCell(rect, (cell) => {
        const there = cells.get(cell)
        if (there) there.push(rect)
        else cells.set(cell, [rect])
        return false
      }),
    hits: (rect: Rect): boolean =>
      someCell(rect, (cell) => cells.get(cell)?.some((other) => isTouching(rect, other)) ?? false),
  }
}

const isInside = (a: Rect, b: Rect): boolean =>
  a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height

export const isTouching = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

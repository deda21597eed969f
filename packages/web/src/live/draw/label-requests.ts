import { type LabelAsk, type PlacedLabel, placeLabels, type Rect } from '../layout/labels.ts'
import { labelNotes } from './notes.ts'
import { titleRects } from './paint-titles.ts'
import { pillSpots } from './pills.ts'
import { markRadius } from './shapes.ts'
import { type Mark, markPosition, markScale, marksInSight, type StageState } from './stage-state.ts'
import { cut, textWidth } from './text.ts'

export interface Label {
  readonly placed: PlacedLabel
  readonly mark: Mark
  readonly name: string
  /** The note under the name. */
  readonly notes: readonly string[]
  readonly strong: boolean
}

const LINE = 15
const MOST_WIDTH = 170
/** Uses the shortest text on a phone. */
const NARROW = 760
/** More labels than this would be unreadable. */
const MOST_ASKS = 400

/** The labels that are readable now, with their positions. */
export function findLabels(
  pen: CanvasRenderingContext2D,
  state: StageState,
  now: number,
  clock: number,
): readonly Label[] {
  const scale = markScale(state.camera)
  const marks: Rect[] = []
  const labels = new Map<string, Omit<Label, 'placed'>>()
  const asks: LabelAsk[] = []
  for (const mark of marksInSight(state)) {
    const [x, y] = markPosition(state, mark, now + 10_000)
    if (x < -40 || y < -40 || x > state.width + 40 || y > state.height + 40) continue
    const radius = markRadius(mark.node) * scale
    marks.push({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius })
    const priority = labelPriority(state, mark, now)
    if (priority === null) continue
    const { node } = mark
    const fullNotes = node.agent ? labelNotes(node.agent, clock, state.width < NARROW) : []
    if (node.kind === 'main' && fullNotes.length === 0) continue
    const name = node.kind === 'main' ? '' : cut(pen, node.name, 'strong', MOST_WIDTH)
    const notes = fullNotes.map((note) => cut(pen, note, 'sub', MOST_WIDTH))
    const sizes = measureSizes(pen, name, notes)
    const [whole = NO_SIZE, ...shorter] = sizes
    asks.push({
      key: node.key,
      x,
      y,
      radius,
      ...whole,
      shorter,
      must: priority < 2 || node.key === state.selected,
      priority,
      towards: (state.eyes[mark.session]?.x ?? 0) * state.camera.scale + state.camera.x,
    })
    labels.set(node.key, { mark, name, notes, strong: priority < 4 })
  }
  const blocked = [...pillSpots(pen, state).map((spot) => spot.rect), ...titleRects(state)]
  if (asks.length > MOST_ASKS) {
    asks.sort((a, b) => a.priority - b.priority)
    asks.length = MOST_ASKS
  }
  return placeLabels(asks, blocked, marks, {
    x: 4,
    y: 4,
    width: state.width - state.inset - 8,
    height: state.height - 8,
  }).flatMap((placed) => {
    const own = labels.get(placed.key)
    return own ? [{ placed, ...own, notes: own.notes.slice(0, own.notes.length - placed.short) }] : []
  })
}

const NO_SIZE = { width: 0, height: 0 }

/** The size of a label with all of its notes, and with fewer and fewer of them. */
function measureSizes(pen: CanvasRenderingContext2D, name: string, notes: readonly string[]) {
  const lines = [
    ...(name === '' ? [] : [textWidth(pen, name, 'strong')]),
    ...notes.map((note) => textWidth(pen, note, 'sub')),
  ]
  const sizes = lines.map((_, at) => ({
    width: Math.max(...lines.slice(0, at + 1)) + 2,
    height: (at + 1) * LINE,
  }))
  return sizes.reverse()
}

/** Label priority: waiting, stuck, failed, selected, pulsing, first ring, the rest; from afar only agents that need someone. */
function labelPriority(state: StageState, { node }: Mark, now: number): number | null {
  if (node.state === 'waiting') return 0
  if (node.state === 'stuck') return 1
  if (node.state === 'failed') return 2
  if (node.key === state.selected || node.key === state.hovered) return 3
  if (node.dim || state.camera.scale < 0.4) return null
  if (state.motion.isPulsing(node.key, now)) return 4
  return node.depth <= 1 ? 5 : 6
}

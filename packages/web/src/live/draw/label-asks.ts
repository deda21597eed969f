import { type LabelAsk, type PlacedLabel, placeLabels, type Rect } from '../layout/labels.ts'
import { labelNote } from './notes.ts'
import { titleRects } from './paint-titles.ts'
import { pillSpots } from './pills.ts'
import { radiusOf } from './shapes.ts'
import { type Mark, markScale, marksInSight, placeOf, type StageState } from './stage-state.ts'
import { cut, widthOf } from './text.ts'

export interface Label {
  readonly placed: PlacedLabel
  readonly mark: Mark
  readonly name: string
  readonly note: string | null
  readonly strong: boolean
}

const LINE = 15
const MOST_WIDTH = 170
/** On a phone the fewest words. */
const NARROW = 760
/** More names than this say nothing. */
const MOST_ASKS = 400

/** Which names can be read now, and where. */
export function labelsOf(
  pen: CanvasRenderingContext2D,
  state: StageState,
  now: number,
  clock: number,
): readonly Label[] {
  const scale = markScale(state.camera)
  const marks: Rect[] = []
  const asked = new Map<string, Omit<Label, 'placed'>>()
  const asks: LabelAsk[] = []
  for (const mark of marksInSight(state)) {
    const [x, y] = placeOf(state, mark, now + 10_000)
    if (x < -40 || y < -40 || x > state.width + 40 || y > state.height + 40) continue
    const radius = radiusOf(mark.node) * scale
    marks.push({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius })
    const priority = priorityOf(state, mark, now)
    if (priority === null) continue
    const { node } = mark
    const note = node.agent ? labelNote(node.agent, clock, state.width < NARROW) : null
    if (node.kind === 'main' && note === null) continue
    const name = node.kind === 'main' ? '' : cut(pen, node.name, 'strong', MOST_WIDTH)
    const shortNote = note === null ? null : cut(pen, note, 'sub', MOST_WIDTH)
    const lines = (name === '' ? 0 : 1) + (shortNote === null ? 0 : 1)
    const width = Math.max(
      widthOf(pen, name, 'strong'),
      shortNote === null ? 0 : widthOf(pen, shortNote, 'sub'),
    )
    asks.push({
      key: node.key,
      x,
      y,
      radius,
      width: width + 2,
      height: lines * LINE,
      ...(lines > 1 ? { shorter: { width: widthOf(pen, name, 'strong') + 2, height: LINE } } : {}),
      must: priority < 2 || node.key === state.selected,
      priority,
      towards: (state.eyes[mark.session]?.x ?? 0) * state.camera.scale + state.camera.x,
    })
    asked.set(node.key, { mark, name, note: shortNote, strong: priority < 4 })
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
    const own = asked.get(placed.key)
    return own ? [{ placed, ...own, note: placed.short ? null : own.note }] : []
  })
}

/** Waiting, stuck, failed, selected, pulsing, first ring, the rest; from far away only what needs someone. */
function priorityOf(state: StageState, { node }: Mark, now: number): number | null {
  if (node.state === 'waiting') return 0
  if (node.state === 'stuck') return 1
  if (node.state === 'failed') return 2
  if (node.key === state.selected || node.key === state.hovered) return 3
  if (node.dim || state.camera.scale < 0.4) return null
  if (state.motion.isPulsing(node.key, now)) return 4
  return node.depth <= 1 ? 5 : 6
}

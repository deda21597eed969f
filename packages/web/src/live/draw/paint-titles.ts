import type { Rect } from '../layout/labels.ts'
import { type LabelAsk, type PlacedLabel, placeLabels } from '../layout/labels.ts'
import { labelNotes } from './notes.ts'
import { pillSpots } from './pills.ts'
import { markRadius } from './shapes.ts'
import type { EyeSpot, StageState } from './stage-state.ts'
import { isInSight, type Mark, markPosition, markScale, marksInSight } from './stage-state.ts'
import { clearBehindText, cut, FONTS, textWidth } from './text.ts'

/** Below this scale a session shows only its title. */
const SUB_READABLE = 0.5
const MOST_WIDTH = 260
const JOIN = ' · '

const hasSub = (state: StageState): boolean => state.camera.scale >= SUB_READABLE || state.eyes.length === 1

/** The position of a session's title: right above its outermost ring. */
const titleTop = (state: StageState, eye: EyeSpot): number =>
  (eye.y - Math.max(34, eye.rings.at(-1) ?? 0)) * state.camera.scale +
  state.camera.y -
  (hasSub(state) ? 38 : 22)

/** The height of the lines above each session. */
function titleRects(state: StageState): readonly Rect[] {
  return state.eyes
    .filter((eye) => isInSight(state, eye))
    .map((eye) => {
      const width = Math.min(MOST_WIDTH, eye.box.width * state.camera.scale)
      return {
        x: eye.x * state.camera.scale + state.camera.x - width / 2,
        y: titleTop(state, eye) - 9,
        width,
        height: hasSub(state) ? 36 : 18,
      }
    })
}

export function paintTitles(pen: CanvasRenderingContext2D, state: StageState): void {
  const { scale, x: left } = state.camera
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  for (const eye of state.eyes) {
    // A small session gets a short title or none, so that it does not run into its neighbor.
    const room = eye.box.width * scale - 8
    const x = eye.x * scale + left
    const y = titleTop(state, eye)
    if (x < -200 || x > state.width + 200 || y < -40 || y > state.height + 40) continue
    write(pen, cut(pen, eye.session.title, 'title', room), x, y, 'title', state)
    if (hasSub(state)) write(pen, subtitle(pen, eye, room), x, y + 17, 'sub', state)
  }
}

function write(
  pen: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  font: 'title' | 'sub',
  { colors }: StageState,
): void {
  pen.font = FONTS[font]
  clearBehindText(pen, text, x, y, colors)
  pen.fillStyle = font === 'title' ? colors.text : colors['text-3']
  pen.fillText(text, x, y)
}

/** The agent count is never cut; the topic gets the remaining room. */
function subtitle(pen: CanvasRenderingContext2D, { session }: EyeSpot, room: number): string {
  const { about, count } = session
  if (about === null) return cut(pen, count, 'sub', room)
  const short = cut(pen, about, 'sub', room - textWidth(pen, JOIN + count, 'sub'))
  return short === '' ? count : short + JOIN + count
}

export interface Label {
  readonly placed: PlacedLabel
  readonly mark: Mark
  readonly name: string
  /** The note under the name. */
  readonly notes: readonly string[]
  readonly strong: boolean
}

const LABEL_LINE = 15
const LABEL_WIDTH = 170
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
    const name = node.kind === 'main' ? '' : cut(pen, node.name, 'strong', LABEL_WIDTH)
    const notes = fullNotes.map((note) => cut(pen, note, 'sub', LABEL_WIDTH))
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
    height: (at + 1) * LABEL_LINE,
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

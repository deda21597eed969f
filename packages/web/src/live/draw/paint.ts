import { FADE_MS } from '../model/shown.ts'
import { familyColor } from './colors.ts'
import { type Label, labelsOf } from './label-asks.ts'
import { noteColor } from './notes.ts'
import { paintEyes } from './paint-far.ts'
import { paintEdges, paintRings } from './paint-lines.ts'
import { paintTitles } from './paint-titles.ts'
import { drawPills } from './pills.ts'
import { AGENT_RADIUS, drawMark, MAIN_RADIUS, radiusOf } from './shapes.ts'
import { isFar, type Mark, markScale, marksInSight, placeOf, type StageState } from './stage-state.ts'
import { FONTS, setOff, widthOf } from './text.ts'

const FULL = Math.PI * 2
const PULSE_GROWTH = 4
/** Up to this many names are set off from the lines under them. */
const MOST_CLEAR = 120

/** Names are found anew only when something they depend on has changed. */
export interface LabelCache {
  labels: readonly Label[] | null
}

export interface Frame {
  /** Runs with the screen. */
  readonly now: number
  /** The wall clock, or the moment that is replayed. */
  readonly clock: number
  readonly breath: number
}

export function paint(
  pen: CanvasRenderingContext2D,
  state: StageState,
  cache: LabelCache,
  frame: Frame,
): void {
  pen.setTransform(state.ratio, 0, 0, state.ratio, 0, 0)
  pen.clearRect(0, 0, state.width, state.height)
  pen.lineJoin = 'round'
  pen.lineCap = 'butt'
  if (isFar(state)) {
    paintEyes(pen, state, frame)
    return
  }
  paintRings(pen, state)
  drawPills(pen, state)
  paintEdges(pen, state, frame.now)
  for (const ghost of state.ghosts) {
    const part = state.reduced ? 1 : (frame.now - (ghost.leftAt ?? frame.now)) / FADE_MS
    if (part < 1) paintMark(pen, state, ghost, frame, 1 - part)
  }
  for (const mark of marksInSight(state)) paintMark(pen, state, mark, frame, 1)
  paintTitles(pen, state)
  cache.labels ??= labelsOf(pen, state, frame.now, frame.clock)
  const clear = cache.labels.length <= MOST_CLEAR
  for (const label of cache.labels) paintLabel(pen, state, label, clear)
  if (!state.reduced) paintFloats(pen, state, frame.now)
}

function paintMark(
  pen: CanvasRenderingContext2D,
  state: StageState,
  mark: Mark,
  frame: Frame,
  alpha: number,
): void {
  const { node } = mark
  const [x, y] = placeOf(state, mark, frame.now)
  if (x < -60 || y < -60 || x > state.width + 60 || y > state.height + 60) return
  const scale = markScale(state.camera)
  const { colors, motion, ratio } = state
  const fade = state.reduced ? 1 : motion.fadeOf(node.key, frame.now)
  pen.globalAlpha = alpha * fade * (node.dim ? 0.4 : 1)
  pen.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * x, ratio * y)
  const pulse = state.reduced ? 0 : motion.pulseOf(node.key, frame.now)
  const grown = node.kind === 'agent' && node.state === 'working' ? PULSE_GROWTH * pulse : 0
  if (pulse > 0) halo(pen, colors, node, pulse)
  if (node.state === 'waiting' && !node.dim && frame.breath > 0) halo(pen, colors, node, frame.breath)
  if (node.key === state.selected) ring(pen, colors.text, radiusOf(node) + 7, 2)
  else if (node.key === state.hovered) ring(pen, colors['text-3'], radiusOf(node) + 6, 1.5)
  drawMark(pen, node, colors, AGENT_RADIUS + grown, state.camera.scale > 0.45)
  if (node.conflict) conflictBadge(pen, colors)
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.globalAlpha = 1
}

function halo(
  pen: CanvasRenderingContext2D,
  colors: StageState['colors'],
  node: Mark['node'],
  part: number,
): void {
  const before = pen.globalAlpha
  const color =
    node.state === 'working'
      ? node.kind === 'main'
        ? colors.gold
        : familyColor(colors, node.family)
      : noteColor(node, colors)
  pen.globalAlpha = before * 0.45 * part
  ring(pen, color, radiusOf(node) + 3 + 5 * part, 1.6)
  pen.globalAlpha = before
}

function ring(pen: CanvasRenderingContext2D, color: string, radius: number, width: number): void {
  pen.beginPath()
  pen.arc(0, 0, radius, 0, FULL)
  pen.lineWidth = width
  pen.strokeStyle = color
  pen.stroke()
}

/** Two small pages over each other: someone else edits the same file. */
function conflictBadge(pen: CanvasRenderingContext2D, colors: StageState['colors']): void {
  for (const [x, y] of [
    [6, -15],
    [9, -12],
  ] as const) {
    pen.beginPath()
    pen.rect(x, y, 7, 8)
    pen.fillStyle = colors.canvas
    pen.fill()
    pen.lineWidth = 1.4
    pen.strokeStyle = colors.stuck
    pen.stroke()
  }
}

function paintLabel(pen: CanvasRenderingContext2D, state: StageState, label: Label, clear: boolean): void {
  const { rect, align } = label.placed
  const x = align === 'left' ? rect.x : align === 'right' ? rect.x + rect.width : rect.x + rect.width / 2
  const { colors } = state
  pen.textAlign = align
  pen.textBaseline = 'middle'
  const write = (text: string, y: number, color: string) => {
    if (clear) setOff(pen, text, x, y, colors)
    pen.fillStyle = color
    pen.fillText(text, x, y)
  }
  let y = rect.y + 8
  if (label.name !== '') {
    pen.font = label.strong ? FONTS.strong : FONTS.name
    write(label.name, y, label.strong ? colors.text : colors['text-2'])
    y += 15
  }
  pen.font = FONTS.sub
  for (const [at, note] of label.notes.entries()) {
    write(note, y, at === 0 ? noteColor(label.mark.node, colors) : colors['text-3'])
    y += 15
  }
}

function paintFloats(pen: CanvasRenderingContext2D, state: StageState, now: number): void {
  const scale = markScale(state.camera)
  if (state.camera.scale < 0.4) return
  for (const float of state.motion.floats(now)) {
    const index = state.byKey.get(float.key)
    const mark = index === undefined ? undefined : state.marks[index]
    if (!mark) continue
    const [x, y] = placeOf(state, mark, now)
    const color =
      mark.node.kind === 'main' ? state.colors['text-2'] : familyColor(state.colors, mark.node.family)
    const width = widthOf(pen, float.tool, 'tool') + 12
    const radius = mark.node.kind === 'main' ? MAIN_RADIUS : AGENT_RADIUS + PULSE_GROWTH
    const top = y - radius * scale - 24 - 8 * float.part
    const alpha = float.part < 0.6 ? 1 : (1 - float.part) / 0.4
    pen.globalAlpha = alpha
    pen.beginPath()
    pen.roundRect(x - width / 2, top, width, 17, 4)
    pen.fillStyle = state.colors.canvas
    pen.fill()
    pen.globalAlpha = alpha * 0.22
    pen.fillStyle = color
    pen.fill()
    pen.globalAlpha = alpha
    pen.font = FONTS.tool
    pen.textAlign = 'center'
    pen.textBaseline = 'middle'
    pen.fillStyle = color
    pen.fillText(float.tool, x, top + 9)
  }
  pen.globalAlpha = 1
}

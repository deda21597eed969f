import { STRETCH } from '../layout/layout.ts'
import { FADE_MS } from '../model/visibility.ts'
import { familyColor } from './colors.ts'
import { noteColor } from './notes.ts'
import { paintEyes } from './paint-far.ts'
import { findLabels, type Label, paintTitles } from './paint-titles.ts'
import { drawPills } from './pills.ts'
import { AGENT_RADIUS, drawMark, MAIN_RADIUS, markRadius } from './shapes.ts'
import {
  isFar,
  isInSight,
  type Mark,
  markPosition,
  markScale,
  marksInSight,
  type StageState,
} from './stage-state.ts'
import { clearBehindText, FONTS, textWidth } from './text.ts'

const FULL = Math.PI * 2
const PULSE_GROWTH = 4
/** Up to this many labels get a background against the lines under them. */
const MOST_CLEAR = 120

/** Labels are placed again only when something they depend on changes. */
export interface LabelCache {
  labels: readonly Label[] | null
}

export interface Frame {
  /** The frame time. */
  readonly now: number
  /** The wall clock, or the replayed moment. */
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
  cache.labels ??= findLabels(pen, state, frame.now, frame.clock)
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
  const [x, y] = markPosition(state, mark, frame.now)
  if (x < -60 || y < -60 || x > state.width + 60 || y > state.height + 60) return
  const scale = markScale(state.camera)
  const { colors, motion, ratio } = state
  const fade = state.reduced ? 1 : motion.fadeLevel(node.key, frame.now)
  pen.globalAlpha = alpha * fade * (node.dim ? 0.4 : 1)
  pen.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * x, ratio * y)
  const pulse = state.reduced ? 0 : motion.pulseLevel(node.key, frame.now)
  const grown = node.kind === 'agent' && node.state === 'working' ? PULSE_GROWTH * pulse : 0
  if (pulse > 0) halo(pen, colors, node, pulse)
  if (node.state === 'waiting' && !node.dim && frame.breath > 0) halo(pen, colors, node, frame.breath)
  if (node.key === state.selected) ring(pen, colors.text, markRadius(node) + 7, 2)
  else if (node.key === state.hovered) ring(pen, colors['text-3'], markRadius(node) + 6, 1.5)
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
  ring(pen, color, markRadius(node) + 3 + 5 * part, 1.6)
  pen.globalAlpha = before
}

function ring(pen: CanvasRenderingContext2D, color: string, radius: number, width: number): void {
  pen.beginPath()
  pen.arc(0, 0, radius, 0, FULL)
  pen.lineWidth = width
  pen.strokeStyle = color
  pen.stroke()
}

/** Two small pages: another agent edits the same file. */
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
    if (clear) clearBehindText(pen, text, x, y, colors)
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
    const [x, y] = markPosition(state, mark, now)
    const color =
      mark.node.kind === 'main' ? state.colors['text-2'] : familyColor(state.colors, mark.node.family)
    const width = textWidth(pen, float.tool, 'tool') + 12
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

/** The depth rings around every `main`. */
function paintRings(pen: CanvasRenderingContext2D, state: StageState): void {
  const { scale, x: left, y: top } = state.camera
  pen.lineWidth = 1
  pen.strokeStyle = state.colors.line
  pen.beginPath()
  for (const eye of state.eyes) {
    if (!isInSight(state, eye)) continue
    const x = eye.x * scale + left
    const y = eye.y * scale + top
    for (const radius of eye.rings) {
      pen.moveTo(x + radius * STRETCH * scale, y)
      pen.ellipse(x, y, radius * STRETCH * scale, radius * scale, 0, 0, Math.PI * 2)
    }
  }
  pen.stroke()
}

/** Solid to a child, dashed to a background one; a child that needs someone colors its edge. */
function paintEdges(pen: CanvasRenderingContext2D, state: StageState, now: number): void {
  const plain: Mark[] = []
  const background: Mark[] = []
  const colored: Mark[] = []
  for (const mark of marksInSight(state)) {
    if (mark.parent < 0) continue
    if (lineColor(state, mark, now) !== null) colored.push(mark)
    else if (mark.node.background) background.push(mark)
    else plain.push(mark)
  }
  pen.lineWidth = 1.25
  pen.strokeStyle = state.colors['line-strong']
  tracePath(pen, state, plain, now)
  pen.setLineDash([4, 4])
  tracePath(pen, state, background, now)
  for (const mark of colored) {
    pen.setLineDash(mark.node.background ? [4, 4] : [])
    pen.strokeStyle = lineColor(state, mark, now) ?? ''
    tracePath(pen, state, [mark], now)
  }
  pen.setLineDash([])
}

function tracePath(
  pen: CanvasRenderingContext2D,
  state: StageState,
  marks: readonly Mark[],
  now: number,
): void {
  if (marks.length === 0) return
  pen.beginPath()
  for (const mark of marks) {
    const parent = state.marks[mark.parent]
    if (!parent) continue
    const [x, y] = markPosition(state, mark, now)
    const [fromX, fromY] = markPosition(state, parent, now)
    if (isOutside(state, x, y, fromX, fromY)) continue
    pen.moveTo(fromX, fromY)
    pen.lineTo(x, y)
  }
  pen.stroke()
}

const isOutside = (state: StageState, x: number, y: number, toX: number, toY: number): boolean =>
  (x < 0 && toX < 0) ||
  (y < 0 && toY < 0) ||
  (x > state.width && toX > state.width) ||
  (y > state.height && toY > state.height)

function lineColor(state: StageState, { node }: Mark, now: number): string | null {
  if (node.state === 'waiting') return state.colors.waiting
  if (node.state === 'stuck') return state.colors.stuck
  if (!state.reduced && state.motion.pulseLevel(node.key, now) > 0)
    return familyColor(state.colors, node.family)
  return null
}

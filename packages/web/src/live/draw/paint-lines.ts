import { STRETCH } from '../layout/layout.ts'
import { familyColor } from './colors.ts'
import { isInSight, type Mark, marksInSight, placeOf, type StageState } from './stage-state.ts'

/** The rings of depth around every `main`. */
export function paintRings(pen: CanvasRenderingContext2D, state: StageState): void {
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

/** Solid to a child, dashed to one in the background; a child that needs someone colours its edge. */
export function paintEdges(pen: CanvasRenderingContext2D, state: StageState, now: number): void {
  const plain: Mark[] = []
  const background: Mark[] = []
  const coloured: Mark[] = []
  for (const mark of marksInSight(state)) {
    if (mark.parent < 0) continue
    if (colorOf(state, mark, now) !== null) coloured.push(mark)
    else if (mark.node.background) background.push(mark)
    else plain.push(mark)
  }
  pen.lineWidth = 1.25
  pen.strokeStyle = state.colors['line-strong']
  trace(pen, state, plain, now)
  pen.setLineDash([4, 4])
  trace(pen, state, background, now)
  for (const mark of coloured) {
    pen.setLineDash(mark.node.background ? [4, 4] : [])
    pen.strokeStyle = colorOf(state, mark, now) ?? ''
    trace(pen, state, [mark], now)
  }
  pen.setLineDash([])
}

function trace(pen: CanvasRenderingContext2D, state: StageState, marks: readonly Mark[], now: number): void {
  if (marks.length === 0) return
  pen.beginPath()
  for (const mark of marks) {
    const parent = state.marks[mark.parent]
    if (!parent) continue
    const [x, y] = placeOf(state, mark, now)
    const [fromX, fromY] = placeOf(state, parent, now)
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

function colorOf(state: StageState, { node }: Mark, now: number): string | null {
  if (node.state === 'waiting') return state.colors.waiting
  if (node.state === 'stuck') return state.colors.stuck
  if (!state.reduced && state.motion.pulseOf(node.key, now) > 0) return familyColor(state.colors, node.family)
  return null
}

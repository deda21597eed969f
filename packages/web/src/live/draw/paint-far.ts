import { clamp } from '@panoptes/schema/numbers'
import { words } from '../../words.ts'
import { placeLabels } from '../layout/labels.ts'
import type { Frame } from './paint.ts'
import { diamond } from './shapes.ts'
import type { EyeSpot, StageState } from './stage-state.ts'
import { cut, FONTS, textWidth } from './text.ts'

const FULL = Math.PI * 2
const w = words.live

/** The size of an eye that represents a whole session. */
export const eyeRadius = (state: StageState, eye: EyeSpot): number =>
  clamp(Math.min(eye.box.width, eye.box.height) * state.camera.scale * 0.2, 4, 16)

export const eyePlace = (state: StageState, eye: EyeSpot): readonly [number, number] => [
  (eye.box.x + eye.box.width / 2) * state.camera.scale + state.camera.x,
  (eye.box.y + eye.box.height / 2) * state.camera.scale + state.camera.y,
]

/** When zoomed out, every session is one eye with its counts. */
export function paintEyes(pen: CanvasRenderingContext2D, state: StageState, frame: Frame): void {
  const inSight = state.eyes.filter((eye) => {
    const [x, y] = eyePlace(state, eye)
    return x > -60 && y > -60 && x < state.width + 60 && y < state.height + 60
  })
  for (const eye of inSight) paintEye(pen, state, eye, frame)
  paintCounts(pen, state, inSight)
}

function paintEye(pen: CanvasRenderingContext2D, state: StageState, eye: EyeSpot, frame: Frame): void {
  const [x, y] = eyePlace(state, eye)
  const radius = eyeRadius(state, eye)
  const { colors } = state
  const { session } = eye
  pen.beginPath()
  pen.ellipse(x, y, radius * 1.7, radius * 1.55, 0, 0, FULL)
  pen.lineWidth = 1
  pen.strokeStyle = colors['line-strong']
  pen.stroke()
  if (session.waiting > 0) {
    pen.save()
    pen.translate(x, y)
    pen.beginPath()
    diamond(pen, radius * 1.9 + 3 * frame.breath)
    pen.lineWidth = 2
    pen.strokeStyle = colors.waiting
    pen.stroke()
    pen.restore()
  } else if (session.stuck > 0) {
    const half = radius * 1.45
    pen.setLineDash([7, 4.2])
    pen.lineWidth = 2
    pen.strokeStyle = colors.stuck
    pen.strokeRect(x - half, y - half, 2 * half, 2 * half)
    pen.setLineDash([])
  }
  pen.beginPath()
  pen.arc(x, y, radius, 0, FULL)
  pen.fillStyle = colors.gold
  pen.fill()
  pen.fillStyle = colors['gold-ink']
  if (radius >= 10) {
    pen.font = FONTS.smallStrong
    pen.textAlign = 'center'
    pen.textBaseline = 'middle'
    pen.fillText(String(session.alive), x, y + 0.5)
  } else {
    pen.beginPath()
    pen.arc(x, y, radius * 0.4, 0, FULL)
    pen.fill()
  }
  const mark = eye.session.nodes.some((node) => node.key === state.selected)
  if (!mark && state.hovered !== session.key) return
  pen.beginPath()
  pen.arc(x, y, radius + 5, 0, FULL)
  pen.lineWidth = 2
  pen.strokeStyle = mark ? colors.text : colors['text-3']
  pen.stroke()
}

function paintCounts(pen: CanvasRenderingContext2D, state: StageState, eyes: readonly EyeSpot[]): void {
  const blocked = eyes.map((eye) => {
    const [x, y] = eyePlace(state, eye)
    const radius = eyeRadius(state, eye) * 1.7
    return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius }
  })
  const byKey = new Map(eyes.map((eye) => [eye.session.key, eye]))
  const asks = eyes.map((eye) => {
    const [x, y] = eyePlace(state, eye)
    const { session } = eye
    const room = Math.max(48, eye.box.width * state.camera.scale)
    const title = cut(pen, session.title, 'strong', room)
    const needs = w.eyeNeeds(session.waiting, session.stuck)
    const width = Math.max(textWidth(pen, title, 'strong'), textWidth(pen, needs, 'small'))
    const priority = session.waiting > 0 ? 0 : session.stuck > 0 ? 1 : session.failed > 0 ? 2 : 5
    return {
      key: session.key,
      x,
      y,
      radius: eyeRadius(state, eye) * 1.7,
      width: width + 4,
      height: needs === '' ? 15 : 29,
      priority,
      towards: x,
    }
  })
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  for (const { key, rect } of placeLabels(asks, [], blocked)) {
    const eye = byKey.get(key)
    if (!eye) continue
    const x = rect.x + rect.width / 2
    pen.font = FONTS.strong
    pen.fillStyle = state.colors.text
    pen.fillText(cut(pen, eye.session.title, 'strong', rect.width), x, rect.y + 8)
    const needs = w.eyeNeeds(eye.session.waiting, eye.session.stuck)
    if (needs === '') continue
    pen.font = FONTS.small
    pen.fillStyle = eye.session.waiting > 0 ? state.colors.waiting : state.colors.stuck
    pen.fillText(needs, x, rect.y + 22)
  }
}

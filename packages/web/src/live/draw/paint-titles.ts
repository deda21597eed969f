import type { Rect } from '../layout/labels.ts'
import type { EyeSpot, StageState } from './stage-state.ts'
import { isInSight } from './stage-state.ts'
import { cut, FONTS, setOff, textWidth } from './text.ts'

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
export function titleRects(state: StageState): readonly Rect[] {
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
    // A small session gets a short title or none, so that it does not run into its neighbour.
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
  setOff(pen, text, x, y, colors)
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

import { eyePlace, eyeRadius } from './paint-far.ts'
import { radiusOf } from './shapes.ts'
import { isFar, markScale, placeOf, type StageState } from './stage-state.ts'

const REACH = 6

/** The key of what lies under a point: an agent, a group, or from far away a session. */
export function hitAt(state: StageState, x: number, y: number, now: number): string | null {
  if (isFar(state)) {
    const eye = state.eyes.find((one) => {
      const [left, top] = eyePlace(state, one)
      return Math.hypot(left - x, top - y) <= eyeRadius(state, one) * 1.7 + REACH
    })
    return eye?.session.key ?? null
  }
  const scale = markScale(state.camera)
  let best: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const mark of state.marks) {
    const [left, top] = placeOf(state, mark, now)
    const away = Math.hypot(left - x, top - y)
    if (away > Math.max(13, radiusOf(mark.node) * scale + REACH) || away >= least) continue
    best = mark.node.key
    least = away
  }
  return best
}

import { clamp } from '@panoptes/schema/numbers'
import type { Placement } from '../layout/layout.ts'
import type { Graph, GraphNode, GraphSession } from '../model/graph.ts'
import type { Camera } from './camera.ts'
import type { Colors } from './colors.ts'
import type { Motion } from './motion.ts'

/** A drawn node, moving from its old to its new position. */
export interface Mark {
  node: GraphNode
  session: number
  /** The index of its parent among the marks; -1 for `main`. */
  parent: number
  fromX: number
  fromY: number
  toX: number
  toY: number
  movedAt: number
  /** When it left the graph; null while it is part of it. */
  leftAt: number | null
}

/** A session with its position. */
export interface EyeSpot {
  readonly session: GraphSession
  readonly x: number
  readonly y: number
  readonly rings: readonly number[]
  readonly box: Placement['sessions'][number]['box']
  /** The range of its marks. */
  readonly first: number
  readonly count: number
}

export interface StageState {
  graph: Graph
  marks: Mark[]
  byKey: Map<string, number>
  ghosts: Mark[]
  eyes: EyeSpot[]
  camera: Camera
  width: number
  height: number
  ratio: number
  /** The width at the right edge that something else covers. */
  inset: number
  colors: Colors
  reduced: boolean
  selected: string | null
  hovered: string | null
  readonly motion: Motion
}

export const MOVE_MS = 300
/** From this many agents on, each session is drawn as one eye until the person zooms in. */
const CROWDED = 200
const CLOSE_ENOUGH = 0.5

export const isFar = (state: StageState): boolean =>
  state.graph.alive > CROWDED && state.camera.scale < CLOSE_ENOUGH

/** How far a label may stick out of its session's area. */
const MARGIN = 90

export function isInSight(state: StageState, { box }: EyeSpot): boolean {
  const { scale, x, y } = state.camera
  return (
    (box.x + box.width) * scale + x > -MARGIN &&
    (box.y + box.height) * scale + y > -MARGIN &&
    box.x * scale + x < state.width + MARGIN &&
    box.y * scale + y < state.height + MARGIN
  )
}

/** The marks of the visible sessions; others are skipped. */
export function* marksInSight(state: StageState): Generator<Mark> {
  for (const eye of state.eyes) {
    if (!isInSight(state, eye)) continue
    for (let i = eye.first; i < eye.first + eye.count; i += 1) {
      const mark = state.marks[i]
      if (mark) yield mark
    }
  }
}

const ease = (part: number): number => 1 - (1 - part) ** 3

/** The screen position of a mark at a moment. */
export function markPosition(state: StageState, mark: Mark, now: number): readonly [number, number] {
  const part = state.reduced ? 1 : Math.min(1, (now - mark.movedAt) / MOVE_MS)
  const by = part >= 1 ? 1 : ease(part)
  const x = mark.fromX + (mark.toX - mark.fromX) * by
  const y = mark.fromY + (mark.toY - mark.fromY) * by
  return [x * state.camera.scale + state.camera.x, y * state.camera.scale + state.camera.y]
}

/** Marks scale with the plane but stay readable when small and modest when large. */
export const markScale = (camera: Camera): number => clamp(0.45 + 0.6 * camera.scale, 0.6, 1.3)

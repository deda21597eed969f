import type { TimelineMark } from '@panoptes/schema'
import { useKeys } from '../shell/use-keys.ts'
import { type Direction, moveSelection } from './graph/keyboard-navigation.ts'
import type { Graph } from './model/graph.ts'
import type { ClockMove } from './scrubber/clock.ts'

export interface LiveKeys {
  readonly graph: Graph
  readonly selected: string | null
  readonly onSelect: (key: string | null) => void
  readonly onFit: () => void
  readonly onTable: () => void
  readonly onFilter: () => void
  readonly move: (move: ClockMove) => void
  readonly from: number
  readonly onStep: (by: -1 | 1) => void
  readonly onJump: (kind: TimelineMark['kind'], by?: -1 | 1) => void
  readonly live: boolean
}

/** The shortcuts of Live and of a recording. */
export function useLiveKeys(keys: LiveKeys): void {
  const go = (way: Direction) => () => keys.onSelect(moveSelection(keys.graph, keys.selected, way))
  useKeys({
    ArrowUp: go('up'),
    ArrowDown: go('down'),
    ArrowLeft: go('left'),
    ArrowRight: go('right'),
    f: keys.onFit,
    t: keys.onTable,
    '/': keys.onFilter,
    ' ': () => keys.move({ type: 'toggle', from: keys.from }),
    ',': () => keys.onStep(-1),
    '.': () => keys.onStep(1),
    '[': () => keys.move({ type: 'slower' }),
    ']': () => keys.move({ type: 'faster' }),
    w: () => keys.onJump('wait'),
    x: () => keys.onJump('failure'),
    s: () => keys.onJump('spawn'),
    W: () => keys.onJump('wait', -1),
    X: () => keys.onJump('failure', -1),
    S: () => keys.onJump('spawn', -1),
    ...(keys.live ? { l: () => keys.move({ type: 'live' }) } : {}),
    ...(keys.selected !== null ? { Escape: () => keys.onSelect(null) } : {}),
  })
}

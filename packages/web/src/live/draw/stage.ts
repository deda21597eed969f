import type { Placement } from '../layout/layout.ts'
import { boundingBox } from '../layout/packer.ts'
import type { Graph } from '../model/graph.ts'
import { FADE_MS } from '../model/visibility.ts'
import { type Camera, centerOn, fitCamera, interpolateCamera, sameCamera } from './camera.ts'
import { readColors } from './colors.ts'
import { createMotion } from './motion.ts'
import { type LabelCache, paint } from './paint.ts'
import { eyePlace, eyeRadius } from './paint-far.ts'
import { markRadius } from './shapes.ts'
import { isFar, type Mark, MOVE_MS, markPosition, markScale, type StageState } from './stage-state.ts'

export interface Stage {
  readonly show: (graph: Graph, placement: Placement) => void
  readonly pulse: (key: string, tool: string | null) => void
  readonly select: (key: string | null) => void
  readonly hover: (x: number, y: number) => string | null
  readonly hit: (x: number, y: number) => string | null
  readonly resize: (width: number, height: number, ratio: number) => void
  /** The theme or the preference for motion changed. */
  readonly restyle: (reduced: boolean) => void
  readonly camera: () => Camera
  readonly setCamera: (camera: Camera, glide: boolean) => void
  readonly fit: (glide: boolean) => void
  /** Pans so that an agent is visible. */
  readonly panTo: (key: string) => void
  /** Zooms to one session. */
  readonly zoomTo: (session: string) => void
  /** The width at the right edge that something else covers. */
  readonly setInset: (inset: number) => void
  readonly setClock: (clock: () => number) => void
  readonly redraw: () => void
  readonly stop: () => void
  /** For measurements: the script milliseconds of recent frames, and the number of frames drawn. */
  readonly costs: () => readonly number[]
  readonly frames: () => number
}

const BREATH_EVERY_MS = 2_000
const BREATH_MS = 700
const MOST_COSTS = 600

/** Draws the graph, and only when something has changed. */
export function createStage(canvas: HTMLCanvasElement, reduced: boolean): Stage {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('no canvas')
  const pen = context
  const cache: LabelCache = { labels: null }
  const state: StageState = {
    graph: { sessions: [], nodes: 0, alive: 0 },
    marks: [],
    byKey: new Map(),
    ghosts: [],
    eyes: [],
    camera: { scale: 1, x: 0, y: 0 },
    width: 0,
    height: 0,
    ratio: 1,
    inset: 0,
    colors: readColors(canvas),
    reduced,
    selected: null,
    hovered: null,
    motion: createMotion(),
  }
  const costs: number[] = []
  let clock: () => number = Date.now
  let frameRequest = 0
  let frames = 0
  let moving = 0
  let glide: { readonly from: Camera; readonly to: Camera; readonly since: number } | null = null
  let breath: ReturnType<typeof setTimeout> | undefined
  let breathSince = Number.NEGATIVE_INFINITY

  const draw = () => {
    if (frameRequest === 0) frameRequest = requestAnimationFrame(frame)
  }
  const relabel = () => {
    cache.labels = null
    draw()
  }
  const frame = () => {
    frameRequest = 0
    frames += 1
    const now = performance.now()
    if (glide) {
      const part = Math.min(1, (now - glide.since) / MOVE_MS)
      state.camera = interpolateCamera(glide.from, glide.to, 1 - (1 - part) ** 3)
      cache.labels = null
      if (part >= 1) glide = null
    }
    state.ghosts = state.ghosts.filter((ghost) => now - (ghost.leftAt ?? 0) < FADE_MS)
    const part = (now - breathSince) / BREATH_MS
    const breathing = !state.reduced && part >= 0 && part < 1
    paint(pen, state, cache, { now, clock: clock(), breath: breathing ? Math.sin(part * Math.PI) : 0 })
    const busy =
      glide !== null ||
      breathing ||
      (!state.reduced && (now < moving || state.motion.isMoving(now) || state.ghosts.length > 0))
    costs.push(performance.now() - now)
    if (costs.length > MOST_COSTS) costs.shift()
    if (busy) draw()
  }
  const scheduleBreath = () => {
    clearTimeout(breath)
    const waits = state.marks.some(({ node }) => node.state === 'waiting' && !node.dim)
    if (!waits || state.reduced) return
    breath = setTimeout(() => {
      breathSince = performance.now()
      draw()
      scheduleBreath()
    }, BREATH_EVERY_MS)
  }
  const moveCamera = (camera: Camera, smoothly: boolean) => {
    if (smoothly && !state.reduced && !sameCamera(camera, state.camera))
      glide = { from: state.camera, to: camera, since: performance.now() }
    else {
      glide = null
      state.camera = camera
    }
    relabel()
  }

  return {
    show: (graph, placement) => {
      const now = performance.now()
      const first = state.marks.length === 0
      const before = state.marks
      const beforeByKey = state.byKey
      const stepped = takeIn(state, graph, placement, now, first)
      for (const key of stepped.appeared) if (!first) state.motion.appear(key, now)
      for (const key of stepped.ended) state.motion.pulse(key, null, now)
      if (!state.reduced)
        for (const mark of before)
          if (!state.byKey.has(mark.node.key) && beforeByKey.has(mark.node.key))
            state.ghosts.push({ ...mark, leftAt: now })
      moving = Math.max(moving, stepped.moved ? now + MOVE_MS : 0)
      scheduleBreath()
      relabel()
    },
    pulse: (key, tool) => {
      if (document.hidden || state.reduced) return
      state.motion.pulse(key, tool, performance.now())
      draw()
    },
    select: (key) => {
      if (state.selected === key) return
      state.selected = key
      relabel()
    },
    hover: (x, y) => {
      const hit = hitAt(state, x, y, performance.now())
      if (hit !== state.hovered) {
        state.hovered = hit
        relabel()
      }
      return hit
    },
    hit: (x, y) => hitAt(state, x, y, performance.now()),
    resize: (width, height, ratio) => {
      state.width = width
      state.height = height
      state.ratio = ratio
      canvas.width = Math.round(width * ratio)
      canvas.height = Math.round(height * ratio)
      relabel()
    },
    restyle: (lessMotion) => {
      state.reduced = lessMotion
      state.colors = readColors(canvas)
      scheduleBreath()
      relabel()
    },
    camera: () => glide?.to ?? state.camera,
    setCamera: moveCamera,
    fit: (smoothly) =>
      moveCamera(
        fitCamera(boundingBox(state.eyes.map((eye) => eye.box)), state.width - state.inset, state.height),
        smoothly,
      ),
    panTo: (key) => {
      const index = state.byKey.get(key)
      const mark = index === undefined ? undefined : state.marks[index]
      if (!mark) return
      const [x, y] = markPosition(state, mark, performance.now() + MOVE_MS)
      const seen = x > 40 && y > 40 && x < state.width - state.inset - 40 && y < state.height - 40
      if (seen && !isFar(state)) return
      const closer = isFar(state) ? { ...state.camera, scale: 0.9 } : state.camera
      moveCamera(centerOn(closer, mark.toX, mark.toY, state.width - state.inset, state.height), true)
    },
    zoomTo: (key) => {
      const eye = state.eyes.find((one) => one.session.key === key)
      if (eye) moveCamera(fitCamera(eye.box, state.width - state.inset, state.height), true)
    },
    setInset: (next) => {
      state.inset = next
      relabel()
    },
    setClock: (next) => {
      clock = next
    },
    redraw: relabel,
    stop: () => {
      cancelAnimationFrame(frameRequest)
      clearTimeout(breath)
      frameRequest = -1
    },
    costs: () => costs,
    frames: () => frames,
  }
}

/** Takes a new graph; existing nodes continue from their positions. */
function takeIn(state: StageState, graph: Graph, placement: Placement, now: number, first: boolean) {
  const marks: Mark[] = []
  const byKey = new Map<string, number>()
  const appeared: string[] = []
  const ended: string[] = []
  let moved = false
  let at = 0
  state.eyes = graph.sessions.map((session, index) => {
    const spot = placement.sessions[index]
    const start = marks.length
    for (const node of session.nodes) {
      const toX = placement.points[at] ?? 0
      const toY = placement.points[at + 1] ?? 0
      at += 2
      const markIndex = state.byKey.get(node.key)
      const before = markIndex === undefined ? undefined : state.marks[markIndex]
      if (!before) appeared.push(node.key)
      else if (before.node.state !== node.state && (node.state === 'done' || node.state === 'failed'))
        ended.push(node.key)
      const stays = !before || (Math.abs(before.toX - toX) < 0.5 && Math.abs(before.toY - toY) < 0.5)
      const [fromX, fromY, movedAt] = before
        ? stays
          ? [before.fromX, before.fromY, before.movedAt]
          : [...currentPosition(before, now), now]
        : [toX, toY, 0]
      if (!stays) moved = true
      byKey.set(node.key, marks.length)
      marks.push({
        node,
        session: index,
        parent: node.parent < 0 ? -1 : start + node.parent,
        fromX,
        fromY,
        toX,
        toY,
        movedAt: first ? 0 : movedAt,
        leftAt: null,
      })
    }
    return {
      session,
      x: spot?.x ?? 0,
      y: spot?.y ?? 0,
      rings: spot?.rings ?? [],
      box: spot?.box ?? { x: 0, y: 0, width: 0, height: 0 },
      first: start,
      count: session.nodes.length,
    }
  })
  state.graph = graph
  state.marks = marks
  state.byKey = byKey
  return { appeared, ended, moved }
}

function currentPosition(mark: Mark, now: number): readonly [number, number] {
  const part = Math.min(1, (now - mark.movedAt) / MOVE_MS)
  return [mark.fromX + (mark.toX - mark.fromX) * part, mark.fromY + (mark.toY - mark.fromY) * part]
}

const REACH = 6

/** The key at a point: an agent, a group, or a session when zoomed out. */
function hitAt(state: StageState, x: number, y: number, now: number): string | null {
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
    const [left, top] = markPosition(state, mark, now)
    const away = Math.hypot(left - x, top - y)
    if (away > Math.max(13, markRadius(mark.node) * scale + REACH) || away >= least) continue
    best = mark.node.key
    least = away
  }
  return best
}

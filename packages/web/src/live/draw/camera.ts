import { clamp } from '@panoptes/schema/numbers'
import type { Rect } from '../layout/labels.ts'

/** The visible part of the plane: a point of the plane is drawn at `point × scale + offset`. */
export interface Camera {
  readonly scale: number
  readonly x: number
  readonly y: number
}

const FARTHEST = 0.03
const CLOSEST = 3
const MARGIN = 20
/** A small graph is not enlarged. */
const MOST_FIT = 1.25

export function fitCamera(whole: Rect, width: number, height: number): Camera {
  if (whole.width === 0 || width === 0) return { scale: 1, x: width / 2, y: height / 2 }
  const scale = Math.max(
    FARTHEST,
    Math.min(MOST_FIT, (width - 2 * MARGIN) / whole.width, (height - 2 * MARGIN) / whole.height),
  )
  return {
    scale,
    x: width / 2 - (whole.x + whole.width / 2) * scale,
    y: height / 2 - (whole.y + whole.height / 2) * scale,
  }
}

/** Zooms around a point that stays in place. */
export function zoomAt(camera: Camera, factor: number, x: number, y: number): Camera {
  const scale = clamp(camera.scale * factor, FARTHEST, CLOSEST)
  const by = scale / camera.scale
  return { scale, x: x - (x - camera.x) * by, y: y - (y - camera.y) * by }
}

export const moveBy = (camera: Camera, x: number, y: number): Camera => ({
  ...camera,
  x: camera.x + x,
  y: camera.y + y,
})

export const centerOn = (camera: Camera, x: number, y: number, width: number, height: number): Camera => ({
  ...camera,
  x: width / 2 - x * camera.scale,
  y: height / 2 - y * camera.scale,
})

export const interpolateCamera = (a: Camera, b: Camera, part: number): Camera => ({
  scale: a.scale + (b.scale - a.scale) * part,
  x: a.x + (b.x - a.x) * part,
  y: a.y + (b.y - a.y) * part,
})

export const sameCamera = (a: Camera, b: Camera): boolean =>
  Math.abs(a.scale - b.scale) < 0.001 && Math.abs(a.x - b.x) < 0.5 && Math.abs(a.y - b.y) < 0.5

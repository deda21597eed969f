import { clamp } from '@panoptes/schema/numbers'

/** The animations of the graph. While nothing moves, no frame is drawn. */
export interface Motion {
  readonly pulse: (key: string, tool: string | null, now: number) => void
  /** A node appeared. */
  readonly appear: (key: string, now: number) => void
  readonly pulseLevel: (key: string, now: number) => number
  readonly fadeLevel: (key: string, now: number) => number
  readonly floats: (now: number) => readonly Float[]
  /** Whether something still moves, so that another frame is needed. */
  readonly isMoving: (now: number) => boolean
  readonly isPulsing: (key: string, now: number) => boolean
}

export interface Float {
  readonly key: string
  readonly tool: string
  /** 0 at its start, 1 when it is over. */
  readonly part: number
}

const PULSE_MS = 400
const FLOAT_MS = 800
const APPEAR_MS = 300
const MOST = 600

export function createMotion(): Motion {
  const pulses = new Map<string, number>()
  const floats = new Map<string, { readonly tool: string; readonly since: number }>()
  const fades = new Map<string, number>()
  let until = 0

  const remember = <T>(map: Map<string, T>, key: string, value: T) => {
    map.delete(key)
    map.set(key, value)
    if (map.size <= MOST) return
    const oldest = map.keys().next().value
    if (oldest !== undefined) map.delete(oldest)
  }
  return {
    pulse: (key, tool, now) => {
      remember(pulses, key, now)
      if (tool !== null) remember(floats, key, { tool, since: now })
      until = Math.max(until, now + (tool === null ? PULSE_MS : FLOAT_MS))
    },
    appear: (key, now) => {
      remember(fades, key, now)
      until = Math.max(until, now + APPEAR_MS)
    },
    pulseLevel: (key, now) => {
      const since = pulses.get(key)
      if (since === undefined) return 0
      const part = (now - since) / PULSE_MS
      return part >= 1 ? 0 : Math.sin(part * Math.PI)
    },
    fadeLevel: (key, now) => {
      const since = fades.get(key)
      return since === undefined ? 1 : clamp((now - since) / APPEAR_MS, 0, 1)
    },
    floats: (now) => {
      for (const [key, float] of floats) if (now - float.since >= FLOAT_MS) floats.delete(key)
      return [...floats].map(([key, { tool, since }]) => ({
        key,
        tool,
        part: Math.max(0, (now - since) / FLOAT_MS),
      }))
    },
    isMoving: (now) => now < until,
    isPulsing: (key, now) => now - (pulses.get(key) ?? Number.NEGATIVE_INFINITY) < FLOAT_MS,
  }
}

/** The shown moment and how it advances. */
export interface ReplayClock {
  /** Null is the live edge. */
  readonly at: number | null
  readonly playing: boolean
  readonly speed: number
}

export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64] as const

export const LIVE: ReplayClock = { at: null, playing: false, speed: 1 }

export type ClockMove =
  | { readonly type: 'seek'; readonly at: number }
  /** A fetched position: `from` is where the clock stood at the time of the request. */
  | { readonly type: 'step'; readonly from: number | null; readonly to: number | null }
  | { readonly type: 'tick'; readonly ms: number; readonly end: number }
  | { readonly type: 'toggle'; readonly from: number }
  | { readonly type: 'faster' }
  | { readonly type: 'slower' }
  | { readonly type: 'speed'; readonly speed: number }
  | { readonly type: 'live' }

/** `live` says whether the time range ends at the live edge; a recording just stops there. */
export function moveClock(clock: ReplayClock, move: ClockMove, live: boolean): ReplayClock {
  switch (move.type) {
    case 'seek':
      return { ...clock, at: Math.round(move.at) }
    case 'step': {
      const playedOn = clock.playing && clock.at !== null && move.from !== null
      if (clock.at !== move.from && !playedOn) return clock
      return move.to === null ? { ...LIVE, speed: clock.speed } : { ...clock, at: Math.round(move.to) }
    }
    case 'tick': {
      if (!clock.playing || clock.at === null) return clock
      const at = clock.at + move.ms * clock.speed
      if (at < move.end) return { ...clock, at: Math.round(at) }
      return live ? { ...LIVE, speed: clock.speed } : { ...clock, at: move.end, playing: false }
    }
    case 'toggle':
      if (clock.at === null) return { ...clock, at: Math.round(move.from), playing: true }
      return { ...clock, playing: !clock.playing }
    case 'faster':
      return { ...clock, speed: SPEEDS.find((one) => one > clock.speed) ?? clock.speed }
    case 'slower':
      return { ...clock, speed: [...SPEEDS].reverse().find((one) => one < clock.speed) ?? clock.speed }
    case 'speed':
      return { ...clock, speed: move.speed }
    case 'live':
      return { ...LIVE, speed: clock.speed }
  }
}

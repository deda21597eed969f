import type { TimelineMark } from '@panoptes/schema'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LIVE, moveClock, SPEEDS } from './clock.ts'
import { jumpTo, thinMarks } from './jump.ts'
import { buildTicks } from './span.ts'

const mark = (ts: number, kind: TimelineMark['kind']): TimelineMark => ({
  seq: ts,
  ts,
  kind,
  source: 'claude-code',
  session_id: 's1',
  agent_id: 'a1',
})

describe('the ticks of the scrubber', () => {
  it('are full hours in the time zone of the reader, also with a half-hour offset', () => {
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-330)
    onTestFinished(() => void vi.restoreAllMocks())
    const from = Date.UTC(2026, 9, 1, 12, 10)
    const ticks = buildTicks(from, from + 6 * 3_600_000, 6)
    expect(ticks.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual([
      ...['12:30', '13:30', '14:30', '15:30', '16:30', '17:30'],
    ])
  })
})

describe('the clock of the scrubber', () => {
  it('starts live and plays from the given moment', () => {
    expect(moveClock(LIVE, { type: 'toggle', from: 500 }, true)).toEqual({ at: 500, playing: true, speed: 1 })
  })

  it('advances at its speed and returns to live at the end', () => {
    const playing = { at: 1_000, playing: true, speed: 4 }
    expect(moveClock(playing, { type: 'tick', ms: 250, end: 9_000 }, true).at).toBe(2_000)
    expect(moveClock(playing, { type: 'tick', ms: 250, end: 1_500 }, true)).toEqual({ ...LIVE, speed: 4 })
  })

  it('stops at the end of a recording', () => {
    const ended = moveClock(
      { at: 1_000, playing: true, speed: 64 },
      { type: 'tick', ms: 250, end: 1_500 },
      false,
    )
    expect(ended).toEqual({ at: 1_500, playing: false, speed: 64 })
  })

  it('does not move while it is paused', () => {
    const paused = { at: 1_000, playing: false, speed: 1 }
    expect(moveClock(paused, { type: 'tick', ms: 250, end: 9_000 }, true)).toBe(paused)
  })

  it('limits the speed to the range from a half to 64', () => {
    let clock = LIVE
    for (let i = 0; i < 20; i += 1) clock = moveClock(clock, { type: 'faster' }, true)
    expect(clock.speed).toBe(64)
    for (let i = 0; i < 20; i += 1) clock = moveClock(clock, { type: 'slower' }, true)
    expect(clock.speed).toBe(SPEEDS[0])
  })

  it('applies a fetched step only if it has not been moved meanwhile', () => {
    const paused = { at: 1_000, playing: false, speed: 2 }
    const step = { type: 'step', from: 1_000, to: 1_400 } as const
    expect(moveClock(paused, step, true).at).toBe(1_400)
    expect(moveClock(LIVE, step, true)).toBe(LIVE)
    expect(moveClock({ ...paused, at: 7_000 }, step, true).at).toBe(7_000)
    expect(moveClock({ ...paused, at: 1_100, playing: true }, step, true).at).toBe(1_400)
    expect(moveClock(paused, { ...step, to: null }, true)).toEqual({ ...LIVE, speed: 2 })
  })

  it('keeps playing from the moment someone dragged it to', () => {
    expect(moveClock({ at: 5, playing: true, speed: 2 }, { type: 'seek', at: 99.6 }, true)).toEqual({
      at: 100,
      playing: true,
      speed: 2,
    })
  })
})

describe('jumping', () => {
  const marks = [mark(30, 'wait'), mark(10, 'wait'), mark(20, 'failure')]

  it('goes to the next mark of a kind, and from the live edge to the newest', () => {
    expect(jumpTo(marks, 'wait', 10)?.ts).toBe(30)
    expect(jumpTo(marks, 'wait', null)?.ts).toBe(30)
    expect(jumpTo(marks, 'wait', 30)).toBeNull()
    expect(jumpTo(marks, 'wait', 30, -1)?.ts).toBe(10)
    expect(jumpTo(marks, 'wait', 10, -1)).toBeNull()
    expect(jumpTo(marks, 'failure', 25, -1)?.ts).toBe(20)
    expect(jumpTo(marks, 'spawn', null)).toBeNull()
  })

  it('keeps the most important of overlapping marks', () => {
    const shown = thinMarks([mark(1, 'spawn'), mark(2, 'failure'), mark(50, 'spawn')], (ts) => ts, 16)
    expect(shown.map((one) => one.kind)).toEqual(['failure', 'spawn'])
  })
})

describe('the axis', () => {
  it('has round moments, at most as many as fit', () => {
    const from = Date.UTC(2026, 9, 1, 12, 3)
    const ticks = buildTicks(from, from + 3_600_000, 8)
    expect(ticks.length).toBeLessThanOrEqual(8)
    expect(ticks.length).toBeGreaterThan(3)
    expect(ticks.every((ts) => ts % 600_000 === 0)).toBe(true)
  })
})

import { describe, expect, it } from 'vitest'
import { Pace } from './pace.ts'

describe('Pace', () => {
  it('lets a session rest 49 times as long as its read took, for a minute at most', () => {
    let now = 0
    const pace = new Pace(() => now)
    pace.took('quick', 100)
    pace.took('slow', 60_000)
    now = 400
    expect(pace.remainingMs('quick')).toBe(4_500)
    expect(pace.remainingMs('slow')).toBe(59_600)
    now = 60_000
    expect(pace.remainingMs('quick')).toBe(0)
    expect(pace.remainingMs('slow')).toBe(0)
  })

  it('counts from the last read of a session', () => {
    let now = 0
    const pace = new Pace(() => now)
    pace.took('often', 100)
    now = 500
    pace.took('often', 200)
    expect(pace.remainingMs('often')).toBe(9_800)
  })

  it('remembers resting sessions, not every session it ever read', () => {
    let now = 0
    const pace = new Pace(() => now)
    pace.took('slow', 60_000)
    for (let n = 0; n < 10_000; n += 1) {
      now += 10
      pace.took(`session ${n}`, 5)
    }
    expect(pace.size).toBeLessThan(30)
    pace.took('slow', 60_000)
    expect(pace.remainingMs('slow')).toBe(60_000)
  })
})

import { describe, expect, it } from 'vitest'
import { createBackoff, createPacing, createRate } from './pacing.ts'

const sent = (fields: object = {}) => ({
  lines: 100,
  bytes: 40_000,
  compressed: 8_000,
  more: false,
  startedAt: 1_000,
  ...fields,
})

describe('the batch size', () => {
  it('grows with a backlog up to a limit', () => {
    const pacing = createPacing(null)
    const { bytes } = pacing.limits()
    pacing.recordAccepted(sent({ more: true }))
    expect(pacing.limits().bytes).toBe(2 * bytes)
    for (let n = 0; n < 20; n += 1) pacing.recordAccepted(sent({ more: true }))
    expect(pacing.limits()).toEqual({ bytes: 4_194_304, lines: 8_000 })
  })

  it('halves after a refusal down to one line, and grows again', () => {
    const pacing = createPacing(null)
    pacing.halve({ lines: 9, bytes: 4_000 })
    expect(pacing.limits()).toEqual({ bytes: 2_000, lines: 4 })
    pacing.halve({ lines: 1, bytes: 1 })
    expect(pacing.limits()).toEqual({ bytes: 1, lines: 1 })
    pacing.recordAccepted(sent({ more: true }))
    expect(pacing.limits()).toEqual({ bytes: 2, lines: 2 })
  })

  it('keeps halving what a hub fails at until all of it was accepted', () => {
    const pacing = createPacing(null)
    const half = (more = true) => pacing.recordAccepted(sent({ ...pacing.limits(), more }))
    pacing.search({ lines: 4_000, bytes: 1_600_000 })
    half()
    expect([pacing.limits(), pacing.isSearching()]).toEqual([{ lines: 1_000, bytes: 400_000 }, true])
    for (let n = 0; n < 30 && pacing.isSearching(); n += 1) half()
    expect([pacing.limits().lines, pacing.isSearching()]).toEqual([2, false])
    pacing.search({ lines: 4_000, bytes: 1_600_000 })
    half(false)
    expect([pacing.limits(), pacing.isSearching()]).toEqual([{ lines: 2_000, bytes: 800_000 }, false])
  })

  it('shrinks for a busy hub but always makes progress', () => {
    const pacing = createPacing(null)
    for (let n = 0; n < 20; n += 1) pacing.slowDown()
    expect(pacing.limits().bytes).toBe(65_536)
  })

  it('is about one second of the available bandwidth', () => {
    const pacing = createPacing(10_000)
    pacing.recordAccepted(sent())
    expect(pacing.limits().bytes).toBe(50_000)
  })

  it('collects events within a moment and sends a backlog at once', () => {
    const pacing = createPacing(null)
    pacing.recordAccepted(sent())
    expect(pacing.waitMs(1_010)).toBe(30)
    expect(pacing.waitMs(2_000)).toBe(0)
    pacing.recordAccepted(sent({ more: true }))
    expect(pacing.waitMs(1_010)).toBe(0)
  })
})

describe('the wait after a failure', () => {
  const away = { kind: 'unreachable', message: '', next: '' } as const
  it('grows within limits and has jitter', () => {
    const least = createBackoff(undefined, () => 0)
    const most = createBackoff(undefined, () => 1)
    expect([1, 2, 3, 4].map((attempts) => most(away, attempts))).toEqual([500, 1_000, 2_000, 4_000])
    expect([least(away, 1), least(away, 50), most(away, 50)]).toEqual([250, 15_000, 30_000])
    for (const kind of ['token', 'address', 'tls'] as const)
      expect(most({ ...away, kind }, 50), kind).toBe(60_000)
    for (const kind of ['busy', 'silent'] as const) expect(most({ ...away, kind }, 50), kind).toBe(30_000)
  })

  it("follows the hub's own request", () => {
    const backoff = createBackoff(undefined, () => 0)
    expect(backoff({ ...away, kind: 'busy', afterMs: 7_000 }, 1)).toBe(7_000)
    expect(backoff({ ...away, kind: 'busy', afterMs: 0 }, 3)).toBe(500)
  })
})

describe('the rate', () => {
  it('covers the last half minute, or less after a later start', () => {
    let now = 0
    const rate = createRate(() => now)
    rate.add(100, 1_000)
    now = 10_000
    rate.add(100, 1_000)
    expect(rate.now()).toEqual({ events: 20, bytes: 200 })
    now = 35_000
    expect(rate.now()).toEqual({ events: 100 / 30, bytes: 1_000 / 30 })
    now = 90_000
    expect(rate.now()).toEqual({ events: 0, bytes: 0 })
  })

  it('adds up everything sent within one second', () => {
    let now = 0
    const rate = createRate(() => now)
    rate.add(1, 10)
    now = 900
    rate.add(2, 20)
    expect(rate.now()).toEqual({ events: 3, bytes: 30 })
  })
})

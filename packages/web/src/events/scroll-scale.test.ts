import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyScroll, createScale, settleScroll } from './use-row-window.ts'

const ROW = 24
const VIEWPORT = 800
const FIVE_MILLION = 5_000_000

describe('the scroll scale of a long list', () => {
  it('is one to one while the list fits a browser', () => {
    const scale = createScale(100_000, ROW)
    expect(scale.drawn).toBe(2_400_000)
    expect(scale.toFull(1_234_567)).toBe(1_234_567)
  })

  it('never makes an element taller than browsers allow', () => {
    for (const rows of [1_000_000, FIVE_MILLION, 1_000_000_000])
      expect(createScale(rows, ROW).drawn).toBeLessThanOrEqual(10_000_000)
  })

  it('reaches the first and the last row of five million', () => {
    const scale = createScale(FIVE_MILLION, ROW)
    expect(scale.toFull(0)).toBe(0)
    expect(scale.toFull(scale.drawn - VIEWPORT)).toBe(FIVE_MILLION * ROW - VIEWPORT)
  })

  it('converts a position to the scroll bar and back without loss', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (rows, part) => {
          const scale = createScale(rows, ROW)
          const top = scale.full * part
          expect(Math.abs(scale.toFull(scale.toDrawn(top)) - top)).toBeLessThan(0.01)
        },
      ),
    )
  })

  it('is monotonic', () => {
    fc.assert(
      fc.property(fc.nat(6_000_000), fc.nat(6_000_000), (a, b) => {
        const scale = createScale(FIVE_MILLION, ROW)
        expect(scale.toFull(Math.min(a, b))).toBeLessThanOrEqual(scale.toFull(Math.max(a, b)))
      }),
    )
  })
})

describe('scrolling', () => {
  it('moves by the pixels of the wheel and skips no row in the middle of five million', () => {
    const scale = createScale(FIVE_MILLION, ROW)
    let view = applyScroll(scale, { top: 0, shift: 0 }, 3_000_000, VIEWPORT)
    const start = view.top
    let drawn = 3_000_000
    for (let i = 1; i <= 50; i += 1) {
      drawn += 100
      view = applyScroll(scale, view, drawn, VIEWPORT)
      expect(view.top).toBeCloseTo(start + i * 100, 3)
    }
  })

  it('reaches every row of five million by jumping near it and stepping', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: FIVE_MILLION - 40 }), (row) => {
        const scale = createScale(FIVE_MILLION, ROW)
        let view = applyScroll(scale, { top: 0, shift: 0 }, Math.round(scale.toDrawn(row * ROW)), VIEWPORT)
        for (let i = 0; i < 100 && Math.abs(view.top - row * ROW) > 1; i += 1) {
          const step = Math.max(-600, Math.min(600, row * ROW - view.top))
          view = settleScroll(scale, applyScroll(scale, view, view.top - view.shift + step, VIEWPORT))
        }
        expect(Math.abs(view.top - row * ROW)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('keeps the visible rows in place when the scroll bar settles', () => {
    const scale = createScale(FIVE_MILLION, ROW)
    const view = applyScroll(scale, { top: 60_000_000, shift: 57_000_000 }, 3_000_500, VIEWPORT)
    expect(settleScroll(scale, view).top).toBe(view.top)
    expect(settleScroll(scale, view).top - settleScroll(scale, view).shift).toBe(
      Math.round(scale.toDrawn(view.top)),
    )
  })

  it('stops at both ends', () => {
    const scale = createScale(1_000, ROW)
    expect(applyScroll(scale, { top: 100, shift: 0 }, -50, VIEWPORT).top).toBe(0)
    expect(applyScroll(scale, { top: 23_000, shift: 0 }, 23_900, VIEWPORT).top).toBe(24_000 - VIEWPORT)
  })
})

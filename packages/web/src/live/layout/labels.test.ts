import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTouching, type LabelAsk, placeLabels } from './labels.ts'

const ask = (change: Partial<LabelAsk> = {}): LabelAsk => ({
  key: 'a',
  x: 0,
  y: 0,
  radius: 8,
  width: 60,
  height: 15,
  priority: 5,
  towards: -100,
  ...change,
})

const many = fc
  .array(
    fc.record({
      x: fc.integer({ min: 0, max: 400 }),
      y: fc.integer({ min: 0, max: 300 }),
      width: fc.integer({ min: 10, max: 120 }),
      priority: fc.integer({ min: 0, max: 6 }),
    }),
    { maxLength: 80 },
  )
  .map((asks) => asks.map((one, i) => ask({ ...one, key: `a${i}` })))

describe('labels of the graph', () => {
  it('never overlap each other or a mark', () => {
    fc.assert(
      fc.property(many, (asks) => {
        const marks = asks.map(({ x, y, radius }) => ({
          x: x - radius,
          y: y - radius,
          width: 2 * radius,
          height: 2 * radius,
        }))
        const placed = placeLabels(asks, [], marks)
        for (const [i, { rect }] of placed.entries()) {
          for (const mark of marks) expect(isTouching(rect, mark)).toBe(false)
          for (const other of placed.slice(i + 1)) expect(isTouching(rect, other.rect)).toBe(false)
        }
      }),
    )
  })

  it('stand on the side away from the center of their session', () => {
    expect(placeLabels([ask({ towards: -100 })], [], [])[0]?.align).toBe('left')
    expect(placeLabels([ask({ towards: 100 })], [], [])[0]?.align).toBe('right')
  })

  it('are placed for waiting agents first', () => {
    const crowd = Array.from({ length: 12 }, (_, i) => ask({ key: `n${i}`, x: i * 3, priority: 6 }))
    const placed = placeLabels([...crowd, ask({ key: 'waits', x: 15, priority: 0 })], [], [])
    expect(placed[0]?.key).toBe('waits')
    expect(placed.length).toBeLessThan(13)
  })

  it('become diagonal or shorter for an agent that needs someone', () => {
    const beside = [
      { x: 10, y: -10, width: 90, height: 20 },
      { x: -100, y: -10, width: 90, height: 20 },
    ]
    const under = { x: -60, y: 10, width: 50, height: 30 }
    const over = { x: -60, y: -40, width: 50, height: 30 }
    const blocked = [...beside, under, over]
    expect(placeLabels([ask()], [], blocked)).toEqual([])
    expect(placeLabels([ask({ priority: 0 })], [], blocked)).toMatchObject([{ align: 'left', short: 0 }])
    const right = { x: 30, y: -60, width: 50, height: 120 }
    expect(placeLabels([ask({ priority: 0 })], [], [...blocked, right])).toEqual([])
    const shorter = { width: 30, height: 15 }
    expect(placeLabels([ask({ priority: 0, shorter: [shorter] })], [], [...blocked, right])).toMatchObject([
      { rect: shorter, short: 1 },
    ])
  })

  it('use the longest text that fits', () => {
    const shorter = [
      { width: 60, height: 30 },
      { width: 60, height: 15 },
    ]
    const tall = ask({ height: 45, shorter })
    const room = (height: number) => ({ x: 0, y: -height / 2, width: 100, height })
    expect([50, 40, 20].map((height) => placeLabels([tall], [], [], room(height))[0]?.short)).toEqual([
      0, 1, 2,
    ])
    expect(placeLabels([tall], [], [], room(10))).toEqual([])
  })

  it('cover a mark only when they must be shown, and never another label', () => {
    const everywhere = [{ x: -200, y: -200, width: 400, height: 400 }]
    expect(placeLabels([ask({ priority: 0 })], [], everywhere)).toEqual([])
    expect(placeLabels([ask({ priority: 0, must: true })], [], everywhere)).toHaveLength(1)
    expect(placeLabels([ask({ priority: 0, must: true })], everywhere, [])).toEqual([])
  })

  it('stay within the visible area', () => {
    const within = { x: 0, y: 0, width: 200, height: 100 }
    const [label] = placeLabels([ask({ x: 10, y: 50, towards: 500 })], [], [], within)
    expect(label?.rect.x).toBeGreaterThanOrEqual(0)
  })
})

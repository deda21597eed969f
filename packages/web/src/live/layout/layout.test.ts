import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SeatNode } from './layout.ts'
import { createLayout, type LayoutSession } from './layout.ts'
import { overlap } from './packer.ts'

/** A session in which every agent is the child of an earlier one. */
const tree = fc.array(fc.nat(), { minLength: 0, maxLength: 90 }).map((parents) => {
  const nodes: SeatNode[] = [{ key: 'main', parent: -1, depth: 0 }]
  parents.forEach((pick, i) => {
    const parent = pick % nodes.length
    const above = nodes[parent]
    nodes.push({ key: `a${i}`, parent, depth: Math.min(6, (above?.depth ?? 0) + 1) })
  })
  return nodes
})

const sessionOf = (key: string, nodes: readonly SeatNode[]): LayoutSession => ({ key, nodes, pills: 2 })

const pointsOf = (points: Float32Array): (readonly [number, number])[] =>
  Array.from({ length: points.length / 2 }, (_, i) => [points[2 * i] ?? 0, points[2 * i + 1] ?? 0] as const)

const fan = (children: number): SeatNode[] => [
  { key: 'main', parent: -1, depth: 0 },
  ...Array.from({ length: children }, (_, i) => ({ key: `a${i}`, parent: 0, depth: 1 })),
]

describe('the layout', () => {
  it('is deterministic', () => {
    fc.assert(
      fc.property(tree, (nodes) => {
        const [a, b] = [createLayout(), createLayout()].map((one) => one.place([sessionOf('s', nodes)], 1.5))
        expect(a).toEqual(b)
      }),
      { numRuns: 30 },
    )
  })

  it('keeps the agents of a session apart', () => {
    fc.assert(
      fc.property(tree, (nodes) => {
        const points = pointsOf(createLayout().place([sessionOf('s', nodes)], 1.5).points)
        for (const [i, [x, y]] of points.entries())
          for (const [left, top] of points.slice(i + 1))
            expect(Math.hypot(x - left, y - top)).toBeGreaterThan(26)
      }),
      { numRuns: 30 },
    )
  })

  it('keeps all positions when an agent joins a ring with room', () => {
    const layout = createLayout()
    const before = pointsOf(layout.place([sessionOf('s', fan(11))], 1.5).points)
    const after = pointsOf(layout.place([sessionOf('s', fan(12))], 1.5).points)
    expect(after.slice(0, 12)).toEqual(before)
  })

  it('keeps all angles when a ring grows', () => {
    const layout = createLayout()
    const angles = (children: number) => {
      const placed = layout.place([sessionOf('s', fan(children))], 1.5)
      const [center, ...rest] = pointsOf(placed.points)
      return rest.map(([x, y]) => Math.atan2(y - (center?.[1] ?? 0), (x - (center?.[0] ?? 0)) / 1.16))
    }
    const before = angles(12)
    const after = angles(13)
    before.forEach((angle, i) => {
      expect(after[i]).toBeCloseTo(angle, 4)
    })
  })

  it('gives a returning agent its old seat', () => {
    const layout = createLayout()
    const before = pointsOf(layout.place([sessionOf('s', fan(6))], 1.5).points)
    layout.place([sessionOf('s', fan(2))], 1.5)
    expect(pointsOf(layout.place([sessionOf('s', fan(6))], 1.5).points)).toEqual(before)
  })

  it('moves an agent to another ring when its parent becomes known', () => {
    const layout = createLayout()
    const provisional: SeatNode[] = [...fan(1), { key: 'child', parent: 0, depth: 1 }]
    const linked: SeatNode[] = [...fan(1), { key: 'child', parent: 1, depth: 2 }]
    const before = pointsOf(layout.place([sessionOf('s', provisional)], 1.5).points)
    const after = pointsOf(layout.place([sessionOf('s', linked)], 1.5).points)
    const away = ([x, y]: readonly [number, number], [cx, cy]: readonly [number, number]) =>
      Math.hypot((x - cx) / 1.16, y - cy)
    const [center = [0, 0], , child = [0, 0]] = after
    expect(away(child, center)).toBeGreaterThan(away(before[2] ?? [0, 0], before[0] ?? [0, 0]) + 30)
  })

  it('never overlaps sessions and keeps existing ones in place', () => {
    fc.assert(
      fc.property(fc.array(tree, { minLength: 2, maxLength: 9 }), (trees) => {
        const layout = createLayout()
        const sessions = trees.map((nodes, i) => sessionOf(`s${i}`, nodes))
        layout.place(sessions.slice(0, -1), 1.5)
        const before = layout.place(sessions.slice(0, -1), 1.5).sessions.map((one) => one.box)
        const boxes = layout.place(sessions, 1.5).sessions.map((one) => one.box)
        expect(boxes.slice(0, -1)).toEqual(before)
        for (const [i, box] of boxes.entries())
          for (const other of boxes.slice(i + 1)) expect(overlap(box, other)).toBe(false)
      }),
      { numRuns: 20 },
    )
  })

  it('places five thousand agents', () => {
    const sessions = Array.from({ length: 250 }, (_, i) => sessionOf(`s${i}`, fan(19)))
    const placed = createLayout().place(sessions, 1.5)
    expect(placed.points).toHaveLength(10_000)
    expect([...placed.points].every(Number.isFinite)).toBe(true)
  })
})

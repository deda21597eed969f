import { describe, expect, it } from 'vitest'
import { ends, fitted, simulate } from './sizing-model.ts'

const service = { commit: 0.004, event: 0.0001, request: 0, most: 5_000 }

describe('the sizing model', () => {
  it('answers after one commit if the load is very low', () => {
    const { p50, busy, left } = simulate(service, { senders: 10, rate: 5, batch: 500, gap: 0.04 }, 200)
    expect(p50).toBeCloseTo(0.0041, 3)
    expect(busy).toBeGreaterThan(0.015)
    expect(busy).toBeLessThan(0.03)
    expect(left).toBeLessThan(2)
  })

  it('is as busy as the utilization law predicts', () => {
    const { busy, events_per_commit } = simulate(
      service,
      { senders: 200, rate: 4_000, batch: 500, gap: 0.04 },
      60,
    )
    const commits = 4_000 / events_per_commit
    expect(busy).toBeCloseTo(commits * service.commit + 4_000 * service.event, 1)
  })

  it('shares commits among more events, and answers more slowly, as the load grows', () => {
    const at = (rate: number) => simulate(service, { senders: 500, rate, batch: 500, gap: 0.04 }, 30)
    const [few, some, many] = [at(100), at(3_000), at(9_000)]
    expect(some.events_per_commit).toBeGreaterThan(few.events_per_commit)
    expect(many.events_per_commit).toBeGreaterThan(some.events_per_commit)
    expect(many.p99).toBeGreaterThan(some.p99)
  })

  it('accumulates a growing backlog if the load exceeds the capacity', () => {
    const load = { senders: 100, rate: 20_000, batch: 500, gap: 0.04 }
    expect(simulate(service, load, 60).left).toBeGreaterThan(simulate(service, load, 20).left * 2)
    expect(simulate(service, load, 20).busy).toBeCloseTo(1, 1)
  })

  it('has a capacity below the pure event rate, and a lower one with slower commits', () => {
    const load = { senders: 200, batch: 500, gap: 0.04 }
    const end = ends(service, load, 0.25)
    expect(end).toBeGreaterThan(5_000)
    expect(end).toBeLessThan(10_000)
    expect(ends({ ...service, commit: 0.2 }, load, 0.25)).toBeLessThan(end)
  })

  it('returns the same result for the same seed', () => {
    const load = { senders: 50, rate: 500, batch: 100, gap: 0.04 }
    expect(simulate(service, load, 10, 3)).toEqual(simulate(service, load, 10, 3))
  })

  it('fits a line through points without a negative coefficient', () => {
    const [at0, slope] = fitted([10, 100, 1_000].map((x) => [x, 3 + 0.5 * x]))
    expect(at0).toBeCloseTo(3)
    expect(slope).toBeCloseTo(0.5)
    expect(
      fitted([
        [1, 5],
        [2, 1],
      ]),
    ).toEqual([9, 0])
  })
})

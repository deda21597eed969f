import { describe, expect, it } from 'vitest'
import { createFlow } from './throughput.ts'

describe('createFlow', () => {
  const row = (seq: number, ts: number) => ({
    seq,
    json: `{"seq":${seq},"v":1,"key":"k\\"ts\\":9","ts":${ts},"event":"x"}`,
  })

  it('has no lag before the first event, and a rate of zero', () => {
    expect(createFlow().info(0)).toMatchObject({ events_per_second: 0, lag_p50_ms: null, lag_p99_ms: null })
  })

  it('measures rate and lag, but no lag of events that are history', () => {
    let clock = 1_000_000
    const flow = createFlow(() => clock)
    flow.countRows([row(1, 999_990), row(2, 5), row(3, 1_000_500)])
    clock += 1_000
    const info = flow.info(2)
    expect(info.events_per_second).toBe(3 / 5)
    expect(info.history).toHaveLength(60)
    expect(info.history.at(-1)).toBe(3)
    expect(info.lag_p99_ms).toBe(10)
    expect(info.lag_p50_ms).toBe(10)
    clock += 120_000
    expect(flow.info(0)).toMatchObject({ events_per_second: 0, lag_p50_ms: null })
  })
})

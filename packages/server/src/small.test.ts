import { describe, expect, it } from 'vitest'
import { createFlow } from './flow.ts'
import { allowedHosts, isLoopback } from './hosts.ts'
import { createLinks } from './links.ts'
import { createHistogram } from './metrics.ts'

describe('links', () => {
  it('work once, and not after ten minutes', () => {
    let clock = 0
    const links = createLinks(() => clock)
    const [first, second] = [links.make(), links.make()]
    clock = 600_000
    expect(links.redeem(first.code)).toBe(true)
    expect(links.redeem(first.code)).toBe(false)
    clock = 600_001
    expect(links.redeem(second.code)).toBe(false)
  })

  it('are bounded in number: the oldest dies', () => {
    const links = createLinks()
    const made = Array.from({ length: 40 }, () => links.make().code)
    expect(made.map((code) => links.redeem(code))).toEqual(made.map((_, index) => index >= 8))
  })
})

describe('hosts', () => {
  it('knows what stays on this computer', () => {
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1']) expect(isLoopback(host)).toBe(true)
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'localhost.evil.test', '127.evil.test', '']) {
      expect(isLoopback(host)).toBe(false)
    }
  })

  it('allows a bound IPv6 address in brackets, and no other port', () => {
    const { allowsHost, allowsOrigin } = allowedHosts('fd00::1', 8201, [])
    expect(allowsHost('[fd00::1]:8201')).toBe(true)
    expect(allowsHost('[fd00::1]:80')).toBe(false)
    expect(allowsHost(undefined)).toBe(false)
    expect(allowsOrigin('http://[fd00::1]:8201')).toBe(true)
    expect(allowsOrigin('https://[fd00::1]:8201')).toBe(false)
  })

  it('allows a configured name with and without its port, also behind TLS', () => {
    const { allowsHost, allowsOrigin } = allowedHosts('127.0.0.1', 8201, ['Box.test'])
    for (const host of ['box.test', 'BOX.TEST:8201']) expect(allowsHost(host)).toBe(true)
    for (const origin of ['https://box.test', 'http://box.test:8201']) expect(allowsOrigin(origin)).toBe(true)
    expect(allowsHost('box.test:1')).toBe(false)
  })
})

describe('flow', () => {
  const row = (seq: number, ts: number) => ({
    seq,
    json: `{"seq":${seq},"v":1,"key":"k\\"ts\\":9","ts":${ts},"event":"x"}`,
  })

  it('has no lag before the first event, and a rate of nothing', () => {
    expect(createFlow().info(0)).toMatchObject({ events_per_second: 0, lag_p50_ms: null, lag_p99_ms: null })
  })

  it('measures rate and lag, but not of events that are history', () => {
    let clock = 1_000_000
    const flow = createFlow(() => clock)
    flow.saw([row(1, 999_990), row(2, 5), row(3, 1_000_500)])
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

describe('a histogram', () => {
  it('counts a value in every bucket that is not under it', () => {
    const histogram = createHistogram([1, 2])
    for (const value of [0.5, 1, 1.5, 9]) histogram.observe(value)
    expect(histogram.lines('x')).toEqual([
      'x_bucket{le="1"} 2',
      'x_bucket{le="2"} 3',
      'x_bucket{le="+Inf"} 4',
      'x_sum 12',
      'x_count 4',
    ])
  })
})

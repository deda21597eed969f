import { describe, expect, it } from 'vitest'
import { readMarker } from './marker.ts'

describe('the STATUS-TRUTH marker', () => {
  it('tells what was shipped, with how many stubs, and whether it was verified', () => {
    const message =
      'Done.\n=== STATUS-TRUTH MARKER ===\nshipped: partial\nstubs: 2 with a.ts:4\nbehaviour-verified: no\n'
    expect(readMarker(message)).toEqual({ shipped: 'partial', stubs: 2, verified: 'no' })
  })

  it('is the first line that says shipped, also before the heading, in any case', () => {
    expect(readMarker('shipped: Functional now\nshipped: fail')).toMatchObject({
      shipped: 'functional',
      stubs: 0,
    })
  })

  it.each(['', 'we shipped: functional', 'shipped: perfect', ' shipped: fail'])('is not in %j', (message) => {
    expect(readMarker(message)).toBeUndefined()
  })

  it('is found in time by the length of the message', () => {
    const started = performance.now()
    readMarker(`${'shipped:\n'.repeat(500_000)}${'x'.repeat(2_000_000)}`)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

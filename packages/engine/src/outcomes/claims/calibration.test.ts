import type { Claim, Quantity } from '@panoptes/schema'
import { calibrationReply } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeCalibration } from './calibration.ts'

const MINUTE = 60_000
interface Said {
  readonly said: number
  readonly took: number | null
  readonly quantity?: Quantity
  readonly model?: string | null
  readonly ts?: number
}
const claim = ({ said, took, quantity = 'duration', model = 'opus', ts = 0 }: Said): Claim => ({
  source: 'claude-code',
  session_id: 's',
  agent_id: 'main',
  project: null,
  model,
  message_id: 'm',
  n: 3,
  place: 0,
  ts,
  value: 'takes a while',
  evidence_tier: 'ESTIMATE-HTC',
  pointer: 'x',
  check: { verdict: 'open', says: '', evidence: null },
  estimate: { quantity, said, took, evidence: null },
})

describe('calibration', () => {
  it('is the median ratio, in a sentence', () => {
    const claims = Array.from({ length: 31 }, (_, n) =>
      claim({ said: 5 * MINUTE, took: 12 * MINUTE + (n - 15) * MINUTE * 0.5 }),
    )
    expect(computeCalibration(claims).rows).toEqual([
      {
        model: 'opus',
        quantity: 'duration',
        claims: 31,
        ratio: 2.4,
        says: 'said 5 min, took 12: ×2.4 over 31 claims',
      },
    ])
  })

  it('averages the two middle ratios of an even number', () => {
    const { rows } = computeCalibration(
      [1, 2, 4, 40].map((took) => claim({ said: 1, took, quantity: 'count' })),
    )
    expect(rows).toMatchObject([{ ratio: 3, claims: 4, says: 'said 1, took 3: ×3.0 over 4 claims' }])
  })

  it.each([
    [{ said: 90 * MINUTE, took: 45 * MINUTE }, 'said 1.5 h, took 0.75: ×0.5 over 1 claim'],
    [{ said: 1_500, took: 3_000 }, 'said 1.5 s, took 3: ×2.0 over 1 claim'],
    [
      { said: 10_000, took: 25_000, quantity: 'tokens' as const },
      'said 10000 tokens, took 25000: ×2.5 over 1 claim',
    ],
    [
      { said: 1_200_000, took: 3_000_000, quantity: 'money' as const },
      'said $1.20, took $3.00: ×2.5 over 1 claim',
    ],
    [{ said: 40, took: 212, quantity: 'count' as const }, 'said 40, took 212: ×5.3 over 1 claim'],
  ])('of %j reads: %s', (said, sentence) => {
    expect(computeCalibration([claim(said)]).rows.map(({ says }) => says)).toEqual([sentence])
  })

  it('is grouped by model and quantity, most claims first', () => {
    const { rows } = computeCalibration([
      claim({ said: 1, took: 1, model: 'haiku' }),
      claim({ said: 1, took: 1, quantity: 'count' }),
      claim({ said: 1, took: 1 }),
      claim({ said: 1, took: 2 }),
      claim({ said: 1, took: 1, model: null }),
    ])
    expect(rows.map(({ model, quantity, claims }) => [model, quantity, claims])).toEqual([
      ['opus', 'duration', 2],
      ['haiku', 'duration', 1],
      ['opus', 'count', 1],
      ['unknown', 'duration', 1],
    ])
  })

  it('counts estimates without a measurement and ignores other claims', () => {
    const real = { ...claim({ said: 1, took: 1 }), evidence_tier: 'REAL' as const }
    const blank = { ...claim({ said: 1, took: 1 }), estimate: null }
    expect(computeCalibration([claim({ said: 1, took: null }), real, blank])).toEqual({
      rows: [],
      points: [],
      open: 2,
    })
  })

  it('has the newest points, each with where it was claimed or measured', () => {
    const { points } = computeCalibration(
      Array.from({ length: 700 }, (_, ts) => claim({ said: 1, took: ts + 1, ts })),
    )
    expect(points).toHaveLength(500)
    expect(points[0]).toEqual({
      model: 'opus',
      quantity: 'duration',
      said: 1,
      took: 700,
      value: 'takes a while',
      evidence: {
        source: 'claude-code',
        session_id: 's',
        agent_id: 'main',
        n: 3,
        tool_use_id: null,
        quote: null,
      },
    })
  })

  it('does not depend on the order of claims and is limited to what is drawn', () => {
    const some = fc.array(
      fc.record({
        said: fc.integer({ min: 1, max: 1e9 }),
        took: fc.integer({ min: 1, max: 1e9 }),
        model: fc.constantFrom('a', 'b'),
      }),
    )
    fc.assert(
      fc.property(some, (all) => {
        const reply = computeCalibration(all.map(claim))
        expect(calibrationReply.safeParse(reply).success).toBe(true)
        expect(computeCalibration(all.toReversed().map(claim)).rows).toEqual(reply.rows)
        expect(reply.rows.reduce((sum, { claims }) => sum + claims, 0)).toBe(all.length)
      }),
    )
  })
})

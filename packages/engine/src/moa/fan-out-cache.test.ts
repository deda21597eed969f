import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FanOutRule } from './fan-out-cache.ts'
import { step, user } from './turn.test-kit.ts'
import { advisoryView } from './view.ts'

const view = (steps: number, question = 'q') =>
  advisoryView([user(question), ...Array.from({ length: steps }, (_, n) => step(n)).flat()], 4_000)

/** Which of the states have their references asked anew. */
function misses(fanout: string, states: readonly { steps: number; question?: string }[]): boolean[] {
  const rule = new FanOutRule()
  let kept: string | undefined
  return states.map(({ steps, question }) => {
    const { key } = rule.decide(fanout, 'p', ['a', 'b'], view(steps, question))
    const isMiss = key !== kept
    kept = key
    return isMiss
  })
}
const growing = (...steps: readonly number[]) => steps.map((count) => ({ steps: count }))

describe('when references are asked anew', () => {
  it('is once for what a person said, with user_turn', () => {
    expect(misses('user_turn', growing(0, 1, 2, 3))).toEqual([true, false, false, false])
    expect(misses('user_turn', [{ steps: 2 }, { steps: 0, question: 'other' }])).toEqual([true, true])
  })

  it('is with every changed state, with per_iteration', () => {
    expect(misses('per_iteration', growing(0, 1, 1, 2))).toEqual([true, true, false, true])
  })

  it('is with the first and every third changed state, with every_n:3', () => {
    expect(misses('every_n:3', growing(0, 1, 2, 3, 4, 5, 6))).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
      true,
    ])
  })

  it('is not brought nearer by a retry, and begins anew with what a person says', () => {
    expect(misses('every_n:2', growing(0, 0, 1, 1, 1, 2, 2))).toEqual([
      true,
      false,
      false,
      false,
      false,
      true,
      false,
    ])
    const other = (steps: number) => ({ steps, question: 'other' })
    expect(misses('every_n:2', [{ steps: 0 }, { steps: 1 }, other(0), other(1), other(2)])).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
  })

  it('is at most every nth time, whatever is asked again between', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 25 }),
        (n, repeats) => {
          const states = repeats.flatMap((times, steps) => Array.from({ length: times }, () => ({ steps })))
          const asked = misses(`every_n:${n}`, states).filter(Boolean).length
          expect(asked).toBe(Math.ceil(repeats.length / n))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('depends on the preset and on its references in their order', () => {
    const key = (preset: string, labels: string[]) =>
      new FanOutRule().decide('user_turn', preset, labels, view(0)).key
    const keys = [key('p', ['a', 'b']), key('o', ['a', 'b']), key('p', ['b', 'a']), key('p', ['a', 'b', 'b'])]
    expect(new Set(keys).size).toBe(4)
  })
})

import type { ChatMessage } from '@panoptes/engine/models'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fanOutKeyOf, SeenStates, turnKeyOf } from './fan-out-cache.ts'
import { step, user } from './turn.test-kit.ts'
import { advisoryView } from './view.ts'

const view = (steps: number, question = 'q') =>
  advisoryView([user(question), ...Array.from({ length: steps }, (_, n) => step(n)).flat()], 4_000)

/** Which of the states have their references asked anew, where none is forgotten. */
function misses(
  fanout: string,
  states: readonly { steps: number; question?: string; loop?: string }[],
): boolean[] {
  const turns = new Map<string, { states: SeenStates; kept: Set<string> }>()
  return states.map(({ steps, question, loop = '' }) => {
    const of = { preset: 'p', labels: ['a', 'b'] }
    const shown = loop === '' ? view(steps, question) : looped(steps, loop)
    const turn = turnKeyOf(of, shown)
    const known = turns.get(turn) ?? { states: new SeenStates(), kept: new Set() }
    turns.set(turn, known)
    const key = fanOutKeyOf(fanout, of, shown, { turn, states: known.states })
    const isMiss = !known.kept.has(key)
    known.kept.add(key)
    return isMiss
  })
}
/** Loops of one question that get other results. */
const looped = (steps: number, loop: string) =>
  advisoryView(
    [
      user('q'),
      ...Array.from({ length: steps }, (_, n) => {
        const [call, result] = step(n)
        return [call as ChatMessage, { ...(result as ChatMessage), content: `${loop} ${n}` }]
      }).flat(),
    ],
    4_000,
  )
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

  it('is for each of several loops of one question as if it were alone, in whatever order they go on', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5 }),
        fc.array(fc.constantFrom('x', '😀😀😀', 'z😀'), { maxLength: 40 }),
        (n, order) => {
          const at = new Map<string, number>()
          const states = order.map((loop) => {
            const steps = (at.get(loop) ?? 0) + 1
            at.set(loop, steps)
            return { steps, loop }
          })
          const asked = misses(`every_n:${n}`, [{ steps: 0, loop: 'x' }, ...states]).slice(1)
          expect(asked).toEqual(states.map(({ steps }) => steps % n === 0))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('goes on counting where a client rewrites what was, with every_n', () => {
    const rewritten = Array.from({ length: 7 }, (_, steps) => ({ steps, loop: `seen at ${steps}` }))
    expect(misses('every_n:3', rewritten)).toEqual([true, false, false, true, false, false, true])
  })

  it('depends on the preset and on its references in their order', () => {
    const key = (preset: string, labels: string[]) => turnKeyOf({ preset, labels }, view(0))
    const keys = [key('p', ['a', 'b']), key('o', ['a', 'b']), key('p', ['b', 'a']), key('p', ['a', 'b', 'b'])]
    expect(new Set(keys).size).toBe(4)
  })
})

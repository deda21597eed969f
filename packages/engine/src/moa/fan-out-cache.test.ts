import type { ChatMessage } from '@panoptes/engine/models'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { advisoryView } from './advisory-view.ts'
import { buildFanOutKey, buildTurnKey, SeenStates } from './fan-out-cache.ts'
import { step, user } from './turn.test-kit.ts'

const view = (steps: number, question = 'q') =>
  advisoryView([user(question), ...Array.from({ length: steps }, (_, n) => step(n)).flat()], 4_000)

/** Returns the states whose references are asked again if nothing is evicted. */
function misses(
  fanout: string,
  states: readonly { steps: number; question?: string; loop?: string }[],
): boolean[] {
  const turns = new Map<string, { states: SeenStates; kept: Set<string> }>()
  return states.map(({ steps, question, loop = '' }) => {
    const of = { preset: 'p', labels: ['a', 'b'] }
    const shown = loop === '' ? view(steps, question) : looped(steps, loop)
    const turn = buildTurnKey(of, shown)
    const known = turns.get(turn) ?? { states: new SeenStates(), kept: new Set() }
    turns.set(turn, known)
    const key = buildFanOutKey(fanout, of, shown, { turn, states: known.states })
    const isMiss = !known.kept.has(key)
    known.kept.add(key)
    return isMiss
  })
}
/** Loops of one question whose tool results differ. */
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

describe('fan-out cache', () => {
  it('asks once per user message with user_turn', () => {
    expect(misses('user_turn', growing(0, 1, 2, 3))).toEqual([true, false, false, false])
    expect(misses('user_turn', [{ steps: 2 }, { steps: 0, question: 'other' }])).toEqual([true, true])
  })

  it('asks for every changed state with per_iteration', () => {
    expect(misses('per_iteration', growing(0, 1, 1, 2))).toEqual([true, true, false, true])
  })

  it('asks for the first and every third changed state with every_n:3', () => {
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

  it('does not count a retry as a change, and starts over with a new user message', () => {
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

  it('asks at most every nth time, whatever is asked in between', () => {
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

  it('treats each of several loops of one question as if it were alone, in any order', () => {
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

  it('keeps counting when a client rewrites the history, with every_n', () => {
    const rewritten = Array.from({ length: 7 }, (_, steps) => ({ steps, loop: `seen at ${steps}` }))
    expect(misses('every_n:3', rewritten)).toEqual([true, false, false, true, false, false, true])
  })

  it('depends on the preset and on the order of its references', () => {
    const key = (preset: string, labels: string[]) => buildTurnKey({ preset, labels }, view(0))
    const keys = [key('p', ['a', 'b']), key('o', ['a', 'b']), key('p', ['b', 'a']), key('p', ['a', 'b', 'b'])]
    expect(new Set(keys).size).toBe(4)
  })
})

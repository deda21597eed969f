import { type Outcome, suggestReply } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOW, template, work } from './effect/effect.test-kit.ts'
import type { SessionWork } from './session-history.ts'
import { computeSimilarity, type SuggestInput, suggestFrom, toolUse } from './suggest.ts'

const suggested = (works: readonly SessionWork[], more: Partial<SuggestInput> = {}) =>
  suggestReply.parse(suggestFrom({ works, known: [], outcomes: new Map(), now: NOW, limit: 10, ...more }))
const ids = (...of: Parameters<typeof suggested>) => suggested(...of).map(({ id }) => id)
const tools = (counts: Readonly<Record<string, number>>) => ({
  tools: Object.entries(counts).map(([tool, calls]) => ({ tool, calls, errors: 0 })),
  tool_calls: Object.values(counts).reduce((sum, calls) => sum + calls, 0),
})

describe('sessions worth a template', () => {
  it('went well: few calls failed and they did not end in failure', () => {
    const works = [
      work('some', { errors: 2 }),
      work('none'),
      work('most', { errors: 6 }),
      work('failed'),
      work('functional'),
    ]
    const outcomes = new Map<string, Outcome | null>([
      ['claude-code/failed', 'fail'],
      ['claude-code/functional', 'functional'],
    ])
    expect(ids(works, { outcomes })).toEqual(['functional', 'none', 'some'])
  })

  it('rank code above the terminal and the terminal above files', () => {
    const works = [
      work('files', tools({ Read: 10 })),
      work('terminal', tools({ Bash: 10 })),
      work('code', tools({ execute_code: 10 })),
      work('own', tools({ solve: 10 })),
    ]
    expect(ids(works, { own: { solve: 'code' } })).toEqual(['code', 'own', 'terminal', 'files'])
  })

  it('are finished, have at least five calls and no template yet', () => {
    const works = [
      work('at work', { last_at: NOW - 1 }),
      work('short', tools({ Bash: 4 })),
      work('enough', tools({ Bash: 5 })),
      work('origin'),
    ]
    expect(ids(works, { known: [template()] })).toEqual(['enough'])
    const notes = { title: null, project: null, secrets_removed: 0, removed_by_example: [], left_out: 0 }
    const codex = { ...template(), notes: { ...notes, source: 'codex' } }
    expect(ids(works, { known: [codex] })).toContain('origin')
  })

  it('differ from the existing templates', () => {
    const works = [work('alike', tools({ Bash: 20, Read: 1 })), work('new', tools({ execute_code: 10 }))]
    const [first, second] = suggested(works, { known: [template()] })
    expect(first?.reasons).toEqual([
      'No failed calls',
      '100 % of its calls run code',
      'Unlike any template you have',
    ])
    expect(second?.reasons).toContain('Like tidy')
  })

  it('state why, their kind and their number of calls', () => {
    const one = work('one', { ...tools({ Bash: 30, Read: 12 }), errors: 1, title: 'Trim the container' })
    const outcomes = new Map<string, Outcome | null>([['claude-code/one', 'partial']])
    const [told] = suggested([one], { outcomes })
    expect(told).toMatchObject({ title: 'Trim the container', task_type: 'terminal', calls: 42, failed: 1 })
    expect(told?.reasons).toEqual([
      '1 of 42 calls failed',
      '71 % of its calls are in the terminal',
      'Ended partial',
    ])
  })

  it('are scored from 0 to 1, best first, up to the limit, in any input order', () => {
    const any = fc.array(
      fc.record({ bash: fc.nat(40), code: fc.nat(40), read: fc.nat(40), errors: fc.nat(60) }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(any, (made) => {
        const works = made.map(({ bash, code, read, errors }, n) =>
          work(`s${n}`, { ...tools({ Bash: bash, execute_code: code, Read: read }), errors }),
        )
        const found = suggested(works, { limit: 5 })
        expect(found.length).toBeLessThanOrEqual(5)
        for (const { score } of found) expect(score >= 0 && score <= 1).toBe(true)
        expect(found.map(({ score }) => score)).toEqual(
          found.map(({ score }) => score).toSorted((a, b) => b - a),
        )
        expect(suggested(works.toReversed(), { limit: 5 })).toEqual(found)
      }),
    )
  })
})

describe('similarity of two uses of tools', () => {
  it('compares the share of each tool and ignores spelling', () => {
    const uses = (counts: Readonly<Record<string, number>>) => toolUse(tools(counts).tools)
    expect(computeSimilarity(uses({ Bash: 1 }), uses({ bash: 9 }))).toBe(1)
    expect(computeSimilarity(uses({ Bash: 3 }), uses({ Read: 9 }))).toBe(0)
    expect(computeSimilarity(uses({ Bash: 3, Read: 4 }), uses({ Read: 1 }))).toBeCloseTo(0.8, 9)
    expect(computeSimilarity(uses({}), uses({ Read: 1 }))).toBe(0)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { check } from './check.ts'
import * as vocabulary from './index.ts'

const reason = (schema: z.ZodType, input: unknown): string | undefined => {
  const checked = check(schema, input)
  return checked.ok ? undefined : checked.problems[0]?.reason
}

describe('validation messages', () => {
  it.each([
    [
      vocabulary.eventInputSchema('agent_done'),
      { event: 'agent_done', outcome: 'great' },
      'must be functional, partial, scaffolding, fail, stopped or lost',
    ],
    [vocabulary.eventInputSchema('tool_done'), { event: 'tool_done', ok: 'yes' }, 'must be true or false'],
    [vocabulary.agentsQuery, { state: 'asleep' }, 'must be working, waiting, stuck, done or failed'],
    [vocabulary.agentsQuery, { stat: 'done' }, 'stat is not known here'],
    [vocabulary.backupRequest, { path: 5 }, 'must be text'],
    [vocabulary.rebuildRequest, [], 'must be an object'],
    [vocabulary.tokenScope, 'other', 'must be full, ingest or gateway'],
    [vocabulary.linkReply, { expires_at: 1 }, 'is missing'],
  ])('reports invalid example %# in our own words', (schema, input, words) => {
    expect(reason(schema, input)).toBe(words)
  })

  it('avoid the default texts of Zod, for any validator and input', () => {
    const validators = Object.values(vocabulary).flatMap((value) =>
      value instanceof z.ZodType
        ? [value]
        : Object.values(value as object).filter((inner) => inner instanceof z.ZodType),
    )
    expect(validators.length).toBeGreaterThan(40)
    const named = fc.constantFrom('event', 'type', 'ts', 'limit', 'state', 'outcome', 'server', 'id', 'ok')
    const input = fc.oneof(fc.jsonValue(), fc.dictionary(named, fc.jsonValue()))
    fc.assert(
      fc.property(fc.constantFrom(...validators), input, (schema, value) => {
        const checked = check(schema, value)
        if (checked.ok) return
        for (const problem of checked.problems) {
          expect(problem.reason).toMatch(/^(must|is|has|cannot) |is not known here$/)
          expect(problem.reason).not.toMatch(/Invalid|expected|Unrecognized|Too (big|small)|received/)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

import { expect, it } from 'vitest'
import { readContext, readPlan } from './details.ts'

it('reads the sent context and fills missing fields with defaults', () => {
  const context = readContext({
    sections: [{ key: 'notes', status: 'unavailable', note: 'no answer within 300 ms' }, 'nonsense', null],
    skills: [{ name: 'deploy', score: 1.5, reasons: ['its name', 7] }],
    left_out: 49,
    budget_tokens: 32_000,
  })
  expect(context?.sections).toEqual([
    {
      key: 'notes',
      title: 'notes',
      status: 'unavailable',
      chars: 0,
      tokens: 0,
      items: 0,
      left_out: 0,
      truncated: false,
      note: 'no answer within 300 ms',
    },
  ])
  expect(context).toMatchObject({ skillsLeftOut: 49, budget: 32_000, template: null })
  expect(context?.skills).toEqual([{ name: 'deploy', score: 1.5, reasons: ['its name'] }])
})

it('returns null for details that are neither a context nor a plan', () => {
  for (const detail of [null, undefined, 'x', 7, [], {}, { sections: 'x', nodes: 7 }]) {
    expect(readContext(detail)).toBeNull()
    expect(readPlan(detail)).toBeNull()
  }
})

it('reads whether the steps of a plan are parallel and refined by a model', () => {
  const plan = { nodes: [], edges: [], decision: 'parallel', worthiness: 2.5, reasons: ['long', 7] }
  expect(readPlan(plan)).toEqual({ ...plan, reasons: ['long'] })
  expect(readPlan({ ...plan, refined: true })).toMatchObject({ decision: 'parallel', refined: true })
})

it('reads a plan without a decision as sequential', () => {
  expect(
    readPlan({
      nodes: [{ id: 's1' }, { id: 's2', label: 'Then', work: 3 }],
      edges: [{ from: 's1', to: 's2' }],
    }),
  ).toEqual({
    decision: 'sequential',
    worthiness: 0,
    reasons: [],
    nodes: [
      { id: 's1', label: 's1', work: 0 },
      { id: 's2', label: 'Then', work: 3 },
    ],
    edges: [{ from: 's1', to: 's2' }],
  })
})

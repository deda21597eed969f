import { expect, it } from 'vitest'
import { contextIn, planIn } from './details.ts'

it('reads what was sent out of a detail, with nothing for what is missing', () => {
  const context = contextIn({
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

it('takes anything else for no context and no plan', () => {
  for (const detail of [null, undefined, 'x', 7, [], {}, { sections: 'x', nodes: 7 }]) {
    expect(contextIn(detail)).toBeNull()
    expect(planIn(detail)).toBeNull()
  }
})

it('reads of a plan whether its steps are side by side, and whether a model refined it', () => {
  const plan = { nodes: [], edges: [], decision: 'parallel', worthiness: 2.5, reasons: ['long', 7] }
  expect(planIn(plan)).toEqual({ ...plan, reasons: ['long'] })
  expect(planIn({ ...plan, refined: true })).toMatchObject({ decision: 'parallel', refined: true })
})

it('reads a plan, one after another where nothing is said', () => {
  expect(
    planIn({
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

import { failure, success } from '@panoptes/schema/result'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { workMs } from '../own-time.test-kit.ts'
import { LIMITS, levelsOf, problemOf, widthOf } from './graph.ts'
import { planOf, refinedPlan } from './index.ts'
import { worthOf } from './worth.ts'

const never = new AbortController().signal
const order = (message: string) => planOf(message).edges.map(({ from, to }) => `${from}>${to}`)

describe('the plan of a message', () => {
  it('is one step where one thing is asked', () => {
    expect(planOf('What is the capital of France?')).toMatchObject({
      decision: 'sequential',
      worthiness: 1,
      nodes: [{ id: 't1', label: 'What is the capital of France?' }],
      edges: [],
    })
  })

  it('is one after the other unless the message says otherwise', () => {
    const plan = planOf('Read the log. Then fix the parser. Finally run the tests.')
    expect(plan.decision).toBe('sequential')
    expect(plan.nodes.map(({ label }) => label)).toEqual([
      'Read the log.',
      'Then fix the parser.',
      'Finally run the tests.',
    ])
    expect(plan.edges).toEqual([
      { from: 't1', to: 't2' },
      { from: 't2', to: 't3' },
    ])
    expect(order('1. Read the log\n2. Fix it\n3. Test it')).toEqual(['t1>t2', 't2>t3'])
    expect(order('阅读日志,然后修复解析器,最后运行测试')).toEqual(['t1>t2', 't2>t3'])
  })

  it('has at most twelve steps, and says how many it left out', () => {
    const list = (count: number) => Array.from({ length: count }, (_, n) => `- read file ${n}`).join('\n')
    expect(planOf(list(15)).nodes).toHaveLength(LIMITS.nodes)
    expect(planOf(list(15)).reasons).toContain('3 more steps are left to whoever answers.')
    expect(planOf(list(12)).reasons.join()).not.toContain('left to whoever')
  })

  it('is side by side where a list asks for much that needs nothing of each other, and joined where the end asks for it', () => {
    const plan = planOf(
      'Look into these:\n- research queue libraries for Node\n- research queue libraries for Go\n- research queue libraries for Rust\nFinally compare all results.',
    )
    expect(plan.decision).toBe('parallel')
    expect(plan.worthiness).toBeGreaterThan(1.5)
    expect(plan.edges).toEqual(['t1', 't2', 't3'].map((from) => ({ from, to: 't4' })))
  })

  it('stays one after the other where the pieces are too small for the overhead', () => {
    const plan = planOf('- list the files\n- show the date')
    expect(plan).toMatchObject({ decision: 'sequential', edges: [] })
    expect(plan.reasons.join(' ')).toMatch(/gain ×0\.\d+/)
  })

  it('is always within its bounds, whatever is said, and soon', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom(
        '- build x',
        '2. run',
        'then fix it.',
        'finally compare all of them',
        '最后',
        'in parallel',
      ),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
        const plan = planOf(lines.join('\n'))
        expect(problemOf(plan)).toBeNull()
      }),
      { numRuns: 300 },
    )
    for (const long of ['- a '.repeat(50_000), 'then, '.repeat(50_000), ' \t'.repeat(100_000)])
      expect(workMs(() => planOf(long))).toBeLessThan(500)
  })

  it('never predicts more than there are hands for', () => {
    const works = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: LIMITS.nodes })
    fc.assert(
      fc.property(works, (all) => {
        const nodes = all.map((work, at) => ({ id: `n${at}`, label: 'x', work }))
        expect(worthOf({ nodes, edges: [] }).worthiness).toBeLessThanOrEqual(LIMITS.width)
      }),
    )
  })
})

describe('a plan of a model', () => {
  const draft = planOf('Read the log, then write what it says.')
  const refine = (answer: unknown) =>
    refinedPlan('Do it.', draft, async () => success(JSON.stringify(answer)), never)
  const nodes = [
    { id: 'a', label: 'first', work: 60 },
    { id: 'b', label: 'second', work: 60 },
    { id: 'c', label: 'third', work: 60 },
  ]

  it('is not asked for where there is one thing to do', async () => {
    const asked: string[] = []
    const ask = async (prompt: string) => {
      asked.push(prompt)
      return success(JSON.stringify({ nodes, edges: [] }))
    }
    const one = planOf('hi')
    expect(await refinedPlan('hi', one, ask, never)).toEqual(one)
    expect(asked).toEqual([])
    expect(await refinedPlan('Read it, then write.', draft, ask, never)).toMatchObject({ refined: true })
    expect(asked).toHaveLength(1)
  })

  it('is taken where it is one', async () => {
    expect(await refine({ nodes, edges: [] })).toMatchObject({ refined: true, decision: 'parallel', nodes })
  })

  it.each([
    [
      'in a circle',
      {
        nodes,
        edges: [
          { from: 'a', to: 'b' },
          { from: 'b', to: 'a' },
        ],
      },
    ],
    ['to itself', { nodes, edges: [{ from: 'a', to: 'a' }] }],
    ['to nowhere', { nodes, edges: [{ from: 'a', to: 'z' }] }],
    [
      'too wide',
      { nodes: Array.from({ length: 5 }, (_, at) => ({ id: `${at}`, label: '', work: 1 })), edges: [] },
    ],
    ['nothing', {}],
    ['no amount', { nodes: [{ id: 'a', label: 'x', work: -1 }], edges: [] }],
  ])('is refused where it leads %s', async (_what, answer) => {
    const plan = await refine(answer)
    expect(plan).toMatchObject({ nodes: draft.nodes, edges: draft.edges })
    expect(plan.reasons.at(-1)).toMatch(/was not taken/)
  })

  it('is done without where the model does not answer', async () => {
    const plan = await refinedPlan('Do it.', draft, async () => failure('io', 'no model'), never)
    expect(plan.reasons.at(-1)).toContain('no model')
  })

  it('has levels that respect every edge', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 20 }), (pairs) => {
        const all = Array.from({ length: 8 }, (_, at) => ({ id: `${at}`, label: '', work: 1 }))
        const edges = pairs.map(([from, to]) => ({ from: `${from}`, to: `${to}` }))
        const levels = levelsOf({ nodes: all, edges })
        if (levels === null) return
        expect(widthOf(levels)).toBeGreaterThan(0)
        for (const { from, to } of edges) expect(levels.get(from)).toBeLessThan(levels.get(to) ?? -1)
      }),
    )
  })
})

import type { TaskGraph } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { workMs } from '../cpu-time.test-kit.ts'
import { computeLevels, estimateWorth, findProblem, LIMITS, maxLevelWidth } from './graph.ts'
import { FRESH_PROMPTS, LATER_PROMPTS, PROMPTS, type Prompt, SINGLE_PROMPTS } from './prompts.test-kit.ts'
import { planByRules, refinePlan } from './rules.ts'

const never = new AbortController().signal
const order = (message: string) => planByRules(message).edges.map(({ from, to }) => `${from}>${to}`)

describe('plan of a message', () => {
  it('has one step if the message requests one thing', () => {
    expect(planByRules('What is the capital of France?')).toMatchObject({
      decision: 'sequential',
      worthiness: 1,
      nodes: [{ id: 't1', label: 'What is the capital of France?' }],
      edges: [],
    })
  })

  it('is sequential unless the message asks for parallel work', () => {
    const plan = planByRules('Read the log. Then fix the parser. Finally run the tests.')
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

  it('has at most twelve steps and counts the omitted ones', () => {
    const list = (count: number) => Array.from({ length: count }, (_, n) => `- read file ${n}`).join('\n')
    expect(planByRules(list(15)).nodes).toHaveLength(LIMITS.nodes)
    expect(planByRules(list(15)).reasons).toContain('3 more steps are left to the runtime.')
    expect(planByRules(list(12)).reasons.join()).not.toContain('left to the runtime')
  })

  it('is parallel for a list of independent, large items, and joined if the end asks for it', () => {
    const plan = planByRules(
      'Look into these:\n- research queue libraries for Node\n- research queue libraries for Go\n- research queue libraries for Rust\nFinally compare all results.',
    )
    expect(plan.decision).toBe('parallel')
    expect(plan.worthiness).toBeGreaterThan(1.5)
    expect(plan.edges).toEqual(['t1', 't2', 't3'].map((from) => ({ from, to: 't4' })))
  })

  it('stays sequential if the pieces are too small for the overhead', () => {
    const plan = planByRules('- list the files\n- show the date')
    expect(plan).toMatchObject({ decision: 'sequential', edges: [] })
    expect(plan.reasons.join(' ')).toMatch(
      /speedup of parallel work is ×0\.\d+\. Below ×1\.5 the steps run in sequence\./,
    )
  })

  it('stays within its limits for any input, and is fast', () => {
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
        const plan = planByRules(lines.join('\n'))
        expect(findProblem(plan)).toBeNull()
      }),
      { numRuns: 300 },
    )
    const hostile = [
      '- a ',
      'then, ',
      ' \t',
      '„',
      '如果',
      '一个',
      'を',
      '(1',
      '1) ',
      'and ',
      '"',
      '`',
      'a, ',
      '¿',
      'step 1 ',
      'い、',
      'do this: ',
      'please: ',
      '、登录',
      'を確認して',
      'てから',
      'die die ',
      'find out why ',
      'как ',
      'прогони ',
    ]
    const walls = ['!', ' ', '、', '"', '\n'].map((wall) => `a${wall.repeat(19_990)}b`)
    for (const wall of walls) expect(workMs(() => planByRules(wall))).toBeLessThan(500)
    for (const piece of hostile) expect(workMs(() => planByRules(piece.repeat(50_000)))).toBeLessThan(500)
  })

  it('never predicts a speedup beyond the number of workers', () => {
    const works = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: LIMITS.nodes })
    fc.assert(
      fc.property(works, (all) => {
        const nodes = all.map((work, at) => ({ id: `n${at}`, label: 'x', work }))
        expect(estimateWorth({ nodes, edges: [] }).worthiness).toBeLessThanOrEqual(LIMITS.width)
      }),
    )
  })
})

/** The labels of a plan, level by level. */
function levelsIn(plan: TaskGraph): readonly (readonly string[])[] {
  const levels = computeLevels(plan) ?? new Map()
  return [...Map.groupBy(plan.nodes, ({ id }) => levels.get(id)).values()].map((nodes) =>
    nodes.map(({ label }) => label),
  )
}

function isAsExpected({ text, graph }: Prompt): boolean {
  const found = levelsIn(planByRules(text))
  if (graph === '') return found.flat().length === 1
  const expected = graph.split(' > ').map((level) => level.split(' & '))
  return (
    expected.length === found.length &&
    expected.every((names, level) => {
      const labels = found[level] ?? []
      return names.length === labels.length && names.every((name, at) => labels[at]?.includes(name))
    })
  )
}

describe('plans of prompts in seven languages', () => {
  const failed = (half: readonly Prompt[]) =>
    half.filter((prompt) => !isAsExpected(prompt)).map(({ text }) => text)

  it('match expectations for the half that the rules were made with', () => {
    expect(failed(PROMPTS.filter((_prompt, at) => at % 2 === 0))).toEqual([])
  })

  it('match expectations for the half that only judges the rules', () => {
    expect(failed(PROMPTS.filter((_prompt, at) => at % 2 === 1))).toEqual([])
    expect(PROMPTS).toHaveLength(120)
  })

  it('match expectations for prompts by an author who had not seen the rules, including those without steps', () => {
    expect(failed(FRESH_PROMPTS)).toEqual([])
  })

  it('match expectations for later prompts that the rules were changed with, except for a relative clause', () => {
    expect(failed(LATER_PROMPTS.filter((_prompt, at) => at % 2 === 0))).toEqual([
      'サーバーが落ちて再起動して、また落ちる理由を教えてください。',
    ])
  })

  it('match expectations for seven of eight later prompts that only judge the rules', () => {
    const judges = LATER_PROMPTS.filter((_prompt, at) => at % 2 === 1)
    expect(judges).toHaveLength(40)
    expect(failed(judges).length).toBeLessThanOrEqual(5)
  })

  it('have one step for statements, lists of nouns and stories', () => {
    expect(SINGLE_PROMPTS.filter((text) => planByRules(text).nodes.length > 1)).toEqual([])
  })
})

describe('plan refined by a model', () => {
  const draft = planByRules('Read the log, then write what it says.')
  const refine = (answer: unknown) =>
    refinePlan('Do it.', draft, async () => success(JSON.stringify(answer)), never)
  const nodes = [
    { id: 'a', label: 'first', work: 60 },
    { id: 'b', label: 'second', work: 60 },
    { id: 'c', label: 'third', work: 60 },
  ]

  it('is not requested if there is one thing to do', async () => {
    const asked: string[] = []
    const ask = async (prompt: string) => {
      asked.push(prompt)
      return success(JSON.stringify({ nodes, edges: [] }))
    }
    const one = planByRules('hi')
    expect(await refinePlan('hi', one, ask, never)).toEqual(one)
    expect(asked).toEqual([])
    expect(await refinePlan('Read it, then write.', draft, ask, never)).toMatchObject({ refined: true })
    expect(asked).toHaveLength(1)
  })

  it('is used if it is valid', async () => {
    expect(await refine({ nodes, edges: [] })).toMatchObject({ refined: true, decision: 'parallel' })
    const edges = [{ from: 'a', to: 'c' }]
    expect(await refine({ nodes, edges })).toMatchObject({
      refined: true,
      nodes: [
        { id: 't1', label: 'first' },
        { id: 't2', label: 'second' },
        { id: 't3', label: 'third' },
      ],
      edges: [{ from: 't1', to: 't3' }],
    })
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
      'its steps depend on each other in a cycle',
    ],
    ['to itself', { nodes, edges: [{ from: 'a', to: 'a' }] }, 'its steps depend on each other in a cycle'],
    ['to nowhere', { nodes, edges: [{ from: 'a', to: 'z' }] }, 'it refers to an unknown step'],
    [
      'too wide',
      { nodes: Array.from({ length: 5 }, (_, at) => ({ id: `${at}`, label: '', work: 1 })), edges: [] },
      'more than 4 steps run in parallel',
    ],
    ['nothing', {}, 'it has the wrong format'],
    [
      'no amount',
      { nodes: [{ id: 'a', label: 'x', work: -1 }], edges: [] },
      'a step has no valid work estimate',
    ],
  ])('is rejected, with the reason, if its answer is invalid: %s', async (_what, answer, why) => {
    const plan = await refine(answer)
    expect(plan).toMatchObject({ nodes: draft.nodes, edges: draft.edges })
    expect(plan.reasons.at(-1)).toBe(`The model's plan was rejected: ${why}.`)
  })

  it('is skipped if the model does not answer', async () => {
    const plan = await refinePlan('Do it.', draft, async () => failure('io', 'no model'), never)
    expect(plan.reasons.at(-1)).toContain('no model')
  })

  it('has levels that respect every edge', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 20 }), (pairs) => {
        const all = Array.from({ length: 8 }, (_, at) => ({ id: `${at}`, label: '', work: 1 }))
        const edges = pairs.map(([from, to]) => ({ from: `${from}`, to: `${to}` }))
        const levels = computeLevels({ nodes: all, edges })
        if (levels === null) return
        expect(maxLevelWidth(levels)).toBeGreaterThan(0)
        for (const { from, to } of edges) expect(levels.get(from)).toBeLessThan(levels.get(to) ?? -1)
      }),
    )
  })
})

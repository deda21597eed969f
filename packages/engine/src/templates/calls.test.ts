import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairCalls } from './calls.ts'
import { call, message, result, turn } from './make.test-kit.ts'

const told = (messages: Parameters<typeof pairCalls>[0]) =>
  pairCalls(messages).calls.map(({ tool, result }) => [tool, result?.text])

describe('calls at the beginning of a session', () => {
  it('are paired with results by id, in any order', () => {
    const calls = ['a', 'b', 'c'].map((id) => call(id, id))
    fc.assert(
      fc.property(
        fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 3 }),
        fc.shuffledSubarray(['a', 'b', 'c']),
        (order, kept) => {
          const results = order
            .filter((id) => kept.includes(id))
            .map((id) => message('tool', [result(id, `of ${id}`)]))
          expect(told([message('assistant', calls), ...results])).toEqual(
            ['a', 'b', 'c'].map((id) => [id, kept.includes(id) ? `of ${id}` : undefined]),
          )
        },
      ),
    )
  })

  it('are paired if all results are in one message or beside the call', () => {
    expect(
      told([
        message('assistant', [call('a', 'x'), call('b', 'y')]),
        message('user', [result('b', '2'), result('a', '1')]),
        message('assistant', [call('c', 'z'), result('c', '3')]),
      ]),
    ).toEqual([
      ['x', '1'],
      ['y', '2'],
      ['z', '3'],
    ])
  })

  it('may repeat an id in every turn; a result belongs to the newest call', () => {
    expect(
      told([
        message('assistant', [call('0', 'lost')]),
        message('assistant', [call('0', 'x'), call('0', 'y')]),
        message('tool', [result('0', '1')]),
        message('tool', [result('0', '2')]),
        message('tool', [result('0', 'nobody asked')]),
        message('assistant', [call('0', 'z')]),
        message('tool', [result('0', '3')]),
      ]),
    ).toEqual([
      ['lost', undefined],
      ['x', '1'],
      ['y', '2'],
      ['z', '3'],
    ])
  })

  it('keep the first of two results for one call', () => {
    expect(told([...turn('a', 'first'), message('tool', [result('a', 'second')])])).toEqual([
      ['terminal', 'first'],
    ])
  })

  it('come from thirty replies, including the results of the last', () => {
    const turns = Array.from({ length: 40 }, (_, at) => turn(`c${at}`, String(at))).flat()
    const opened = pairCalls(turns)
    expect(opened.turns).toBe(30)
    expect(opened.calls.map(({ result }) => result?.text)).toEqual(
      Array.from({ length: 30 }, (_, at) => String(at)),
    )
  })

  it('do not take results from after the thirtieth turn', () => {
    const before = Array.from({ length: 29 }, (_, at) => turn(`c${at}`)).flat()
    const opened = pairCalls([
      ...before,
      message('assistant', [call('slow')]),
      message('assistant', [call('late')]),
      message('tool', [result('slow')]),
    ])
    expect(opened.calls.at(-1)).toMatchObject({ tool: 'terminal', result: undefined })
    expect(opened.calls).toHaveLength(30)
  })

  it('count replies without calls as turns, and ignore other roles', () => {
    const words = Array.from({ length: 30 }, () => message('assistant', [{ type: 'text', text: 'hm' }]))
    expect(pairCalls([...words, ...turn('a')])).toMatchObject({ turns: 30, calls: [] })
    const asked = Array.from({ length: 300 }, () => message('user', [{ type: 'text', text: 'go on' }]))
    expect(pairCalls([...asked, ...turn('a')])).toMatchObject({ turns: 1, calls: [{ tool: 'terminal' }] })
  })

  it('belong to the main agent and to messages that were not removed', () => {
    const of = (tool: string, more: Parameters<typeof message>[2]) => [
      message('assistant', [call(tool, tool)], more),
      message('tool', [result(tool)], more),
    ]
    const opened = pairCalls([
      ...of('child', { agent_id: 'a1' }),
      ...of('rewound', { state: 'rewound' }),
      ...of('summary', { state: 'summary' }),
      ...of('compacted', { state: 'compacted' }),
      ...of('active', {}),
    ])
    expect(opened.turns).toBe(2)
    expect(opened.calls.map(({ tool }) => tool)).toEqual(['compacted', 'active'])
  })

  it('are paired in linear time, even with one id for all', () => {
    const calls = Array.from({ length: 40_000 }, () => call(''))
    const results = Array.from({ length: 40_000 }, () => result(''))
    const { calls: opened } = pairCalls([message('assistant', calls), message('tool', results)])
    expect(opened.every(({ result }) => result !== undefined)).toBe(true)
  })
})

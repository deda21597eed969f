import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callsOf } from './calls.ts'
import { call, message, result, turn } from './make.test-kit.ts'

const told = (messages: Parameters<typeof callsOf>[0]) =>
  callsOf(messages).calls.map(({ tool, result }) => [tool, result?.text])

describe('the calls of an opening', () => {
  it('have the results that name them, whatever the order they came in', () => {
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

  it('are paired also when all results are in one message, or beside the call', () => {
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

  it('may have the same id in every turn: a result is of the newest', () => {
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

  it('are those of thirty replies, with the results of the last', () => {
    const turns = Array.from({ length: 40 }, (_, at) => turn(`c${at}`, String(at))).flat()
    const opened = callsOf(turns)
    expect(opened.turns).toBe(30)
    expect(opened.calls.map(({ result }) => result?.text)).toEqual(
      Array.from({ length: 30 }, (_, at) => String(at)),
    )
  })

  it('end where the next turn begins: what is answered later was not answered', () => {
    const before = Array.from({ length: 29 }, (_, at) => turn(`c${at}`)).flat()
    const opened = callsOf([
      ...before,
      message('assistant', [call('slow')]),
      message('assistant', [call('late')]),
      message('tool', [result('slow')]),
    ])
    expect(opened.calls.at(-1)).toMatchObject({ tool: 'terminal', result: undefined })
    expect(opened.calls).toHaveLength(30)
  })

  it('count replies that call nothing as turns, and other roles not', () => {
    const words = Array.from({ length: 30 }, () => message('assistant', [{ type: 'text', text: 'hm' }]))
    expect(callsOf([...words, ...turn('a')])).toMatchObject({ turns: 30, calls: [] })
    const asked = Array.from({ length: 300 }, () => message('user', [{ type: 'text', text: 'go on' }]))
    expect(callsOf([...asked, ...turn('a')])).toMatchObject({ turns: 1, calls: [{ tool: 'terminal' }] })
  })

  it('are of the session itself, and of what stayed in it', () => {
    const of = (tool: string, more: Parameters<typeof message>[2]) => [
      message('assistant', [call(tool, tool)], more),
      message('tool', [result(tool)], more),
    ]
    const opened = callsOf([
      ...of('child', { agent_id: 'a1' }),
      ...of('rewound', { state: 'rewound' }),
      ...of('summary', { state: 'summary' }),
      ...of('compacted', { state: 'compacted' }),
      ...of('active', {}),
    ])
    expect(opened.turns).toBe(2)
    expect(opened.calls.map(({ tool }) => tool)).toEqual(['compacted', 'active'])
  })

  it('take time by their number alone, with one id for all', () => {
    const calls = Array.from({ length: 40_000 }, () => call(''))
    const results = Array.from({ length: 40_000 }, () => result(''))
    const { calls: opened } = callsOf([message('assistant', calls), message('tool', results)])
    expect(opened.every(({ result }) => result !== undefined)).toBe(true)
  })
})

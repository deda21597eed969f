import type { Message } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { call, make, message, result, unwrap } from './make.test-kit.ts'
import { type SeedRow, seedExamples } from './seed-rules.test-kit.ts'

type Said =
  | { readonly calls: readonly (readonly [id: string, tool: string, input?: unknown])[] }
  | { readonly answers: string; readonly with: string }
  | { readonly asks: string }

/** The same conversation as rows for Hermes and as messages for ours. */
const rowsOf = (said: readonly Said[]): readonly SeedRow[] =>
  said.map((each) => {
    const row = { content: null, tool_calls: null, tool_call_id: null }
    if ('asks' in each) return { ...row, role: 'user', content: each.asks }
    if ('answers' in each) return { ...row, role: 'tool', content: each.with, tool_call_id: each.answers }
    const calls = each.calls.map(([id, name, input = {}]) => ({
      id,
      function: { name, arguments: JSON.stringify(input) },
    }))
    return { ...row, role: 'assistant', tool_calls: JSON.stringify(calls) }
  })
const messagesOf = (said: readonly Said[]): readonly Message[] =>
  said.map((each) => {
    if ('asks' in each) return message('user', [{ type: 'text', text: each.asks }])
    if ('answers' in each) return message('tool', [result(each.answers, each.with)])
    return message(
      'assistant',
      each.calls.map(([id, tool, input = {}]) => call(id, tool, input)),
    )
  })

const shown = (examples: readonly { readonly tool_name: string; readonly result: string }[]) =>
  examples.map(({ tool_name, result }) => [tool_name, result])
const bySeed = (said: readonly Said[], most = 10) => shown(seedExamples(rowsOf(said), most))
const byOurs = (said: readonly Said[], most = 10) =>
  shown(unwrap(make(messagesOf(said), { maxExamples: most })).template.examples)
const turns = (count: number, tool = 'terminal'): Said[] =>
  Array.from({ length: count }, (_, at): Said[] => [
    { calls: [[`${tool}${at}`, tool]] },
    { answers: `${tool}${at}`, with: String(at) },
  ]).flat()

describe('intended differences from Hermes', () => {
  it('there are none if each message has one successful call', () => {
    expect(byOurs(turns(9))).toEqual(bySeed(turns(9)))
  })

  it('results are paired by id if a message has several calls', () => {
    const said: Said[] = [
      {
        calls: [
          ['a', 'terminal'],
          ['b', 'read_file'],
        ],
      },
      { answers: 'a', with: 'of a' },
      { answers: 'b', with: 'of b' },
    ]
    expect(bySeed(said)).toEqual([
      ['terminal', ''],
      ['read_file', 'of a'],
    ])
    expect(byOurs(said)).toEqual([
      ['terminal', 'of a'],
      ['read_file', 'of b'],
    ])
  })

  it('the last example has its result, too', () => {
    expect(bySeed(turns(5), 2)).toEqual([
      ['terminal', '0'],
      ['terminal', ''],
    ])
    expect(byOurs(turns(5), 2)).toEqual([
      ['terminal', '0'],
      ['terminal', '1'],
    ])
  })

  it('only successful calls become examples', () => {
    const said: Said[] = [
      { calls: [['a', 'terminal']] },
      { answers: 'a', with: '{"output": "", "exit_code": 1}' },
      { calls: [['lost', 'terminal']] },
      { asks: 'go on' },
      ...turns(1),
    ]
    expect(bySeed(said)).toEqual([
      ['terminal', '{"output": "", "exit_code": 1}'],
      ['terminal', ''],
      ['terminal', '0'],
    ])
    expect(byOurs(said)).toEqual([['terminal', '0']])
  })

  it('thirty turns are examined instead of a hundred rows', () => {
    const late: Said[] = [...Array.from({ length: 100 }, () => ({ asks: 'hm' })), ...turns(1)]
    expect([bySeed(late), byOurs(late)]).toEqual([[], [['terminal', '0']]])
    const long = turns(45)
    expect([bySeed(long, 100).length, byOurs(long, 100).length]).toEqual([45, 30])
  })

  it('all calls determine the type, not only the kept examples', () => {
    const said = [...turns(2, 'read_file'), ...turns(20, 'terminal')]
    expect(bySeed(said, 2).map(([tool]) => tool)).toEqual(['read_file', 'read_file'])
    expect(unwrap(make(messagesOf(said), { maxExamples: 2 })).template).toMatchObject({
      task_type: 'terminal',
      examples: [{ tool_name: 'read_file' }, { tool_name: 'read_file' }],
    })
  })

  it('arguments that are not an object become one', () => {
    const said: Said[] = [{ calls: [['a', 'terminal', ['ls']]] }, { answers: 'a', with: 'x' }]
    expect(seedExamples(rowsOf(said))[0]?.arguments).toEqual(['ls'])
    expect(unwrap(make(messagesOf(said))).template.examples[0]?.arguments).toEqual({
      items: ['ls'],
    })
  })

  it('results and arguments are shortened, without secrets and home folders', () => {
    const secret = ['ghp', 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'].join('_')
    const said: Said[] = [
      { calls: [['a', 'terminal', { command: `GITHUB_TOKEN=${secret} ls /home/bob/x` }]] },
      { answers: 'a', with: `/Users/eve/y\n${'z'.repeat(2_000)}` },
    ]
    expect(bySeed(said)[0]?.[1]).toHaveLength(2_013)
    const [example] = unwrap(make(messagesOf(said))).template.examples
    expect(example?.arguments.command).toMatch(/^GITHUB_TOKEN=\[redacted:[\w-]+\] ls ~\/x$/)
    expect(example?.result).toMatch(/^~\/y\nz+… 1,\d{3} characters cut$/)
    expect(example?.result.length).toBeLessThanOrEqual(1_000)
  })

  it('tools of other agents have a kind', () => {
    const said = [...turns(3, 'Bash'), ...turns(1, 'WebFetch')]
    expect(unwrap(make(messagesOf(said))).template.task_type).toBe('terminal')
  })
})

import { describe, expect, it } from 'vitest'
import { call, make, message, NOW, result, session, turn, unwrap } from './make.test-kit.ts'

describe('template of a session', () => {
  it('contains its first successful calls in order', () => {
    const messages = [
      message('assistant', [
        call('a', 'terminal', { command: 'false' }),
        call('b', 'read_file', { path: 'x' }),
      ]),
      message('tool', [result('b', 'text of x')]),
      message('tool', [result('a', '{"output": "", "exit_code": 1}')]),
      message('assistant', [call('c', 'terminal'), call('lost', 'terminal')]),
      message('tool', [result('c', 'done')]),
      ...turn('d', 'refused by its source').map((each) => ({
        ...each,
        content: each.content.map((block) =>
          block.type === 'tool_result' ? { ...block, ok: false } : block,
        ),
      })),
    ]
    const preview = unwrap(make(messages, {}, session({ title: 'A title', project: 'atlas' })))
    expect(preview.template.examples).toEqual([
      { tool_name: 'read_file', arguments: { path: 'x' }, result: 'text of x', success: true },
      { tool_name: 'terminal', arguments: {}, result: 'done', success: true },
    ])
    expect(preview).toMatchObject({
      turns: 3,
      calls: 5,
      failed: 2,
      unanswered: 1,
      by_type: { code: 0, file: 1, research: 0, terminal: 4, other: 0 },
      template: { task_type: 'terminal', created_at: NOW / 1_000, usage_count: 0 },
      notes: {
        source: 'hermes',
        title: 'A title',
        project: 'atlas',
        secrets_removed: 0,
        removed_by_example: [0, 0],
      },
    })
  })

  it('is classified by every call, not only the kept examples', () => {
    const messages = [
      ...turn('a', 'x', 'read_file'),
      ...Array.from({ length: 9 }, (_, at) => turn(`t${at}`)).flat(),
    ]
    expect(unwrap(make(messages, { maxExamples: 1 })).template).toMatchObject({
      task_type: 'terminal',
      examples: [{ tool_name: 'read_file' }],
    })
  })

  it('counts failed calls for its type, and unknown tools in the total', () => {
    const failing = Array.from({ length: 6 }, (_, at) => turn(`f${at}`, 'Error: no', 'execute_code')).flat()
    const others = Array.from({ length: 4 }, (_, at) => turn(`o${at}`, 'fine', 'todo')).flat()
    const preview = unwrap(make([...failing, ...others]))
    expect(preview.template.task_type).toBe('mixed')
    expect(preview.by_type).toEqual({ code: 6, file: 0, research: 0, terminal: 0, other: 4 })
    expect(unwrap(make([...failing, ...others.slice(2)])).template.task_type).toBe('code')
  })

  it('has as many examples as requested, ten by default', () => {
    const messages = Array.from({ length: 25 }, (_, at) => turn(`t${at}`, String(at))).flat()
    for (const maxExamples of [1, 3, 10, 100])
      expect(unwrap(make(messages, { maxExamples })).template.examples).toHaveLength(
        Math.min(25, maxExamples),
      )
  })

  it('has the requested name and type', () => {
    expect(unwrap(make(turn('a'), { name: 'Größe 2', type: 'research' })).template).toMatchObject({
      name: 'Größe 2',
      task_type: 'research',
    })
    expect(unwrap(make(turn('a'), { type: 'code' })).template.name).toBe('code_20260415_1776248430')
    expect(make(turn('a'), { name: '../x' })).toMatchObject({ ok: false, code: 'invalid' })
  })

  it('gets another default name if one of that name was made in the same second', () => {
    const made = (taken: readonly string[]) =>
      unwrap(make(turn('a'), { taken: new Set(taken) })).template.name
    const name = 'terminal_20260415_1776248430'
    expect(made([])).toBe(name)
    expect(made([name, `${name}_2`])).toBe(`${name}_3`)
    const given = make(turn('a'), { name, taken: new Set([name]) })
    expect(unwrap(given).template.name).toBe(name)
  })

  it('respects the tool kinds in the config', () => {
    expect(unwrap(make(turn('a', 'fine', 'my_tool'), { own: { my_tool: 'code' } })).template.task_type).toBe(
      'code',
    )
  })

  it('states what was removed from it', () => {
    const secret = ['ghp', 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'].join('_')
    const messages = [
      ...turn('a', `one ${secret}`),
      ...turn('b', 'x'.repeat(1_500)),
      ...turn('c', `${secret} ${secret}`),
    ]
    const { template, notes } = unwrap(make(messages, {}, session({ title: `with ${secret}` })))
    expect(JSON.stringify({ template, notes })).not.toContain(secret)
    expect(notes).toMatchObject({ secrets_removed: 3, removed_by_example: [1, 0, 2], left_out: 540 })
  })

  it('fails with a reason if nothing worked', () => {
    expect(make([])).toMatchObject({
      ok: false,
      code: 'invalid',
      message: 'No tool is called in the first 30 turns of this session. Choose another session.',
    })
    expect(make(turn('a', 'Error: no'))).toMatchObject({
      ok: false,
      message:
        'The only tool call in the first 30 turns of this session failed or has no output. Choose another session.',
    })
    expect(make([message('assistant', [call('a')])])).toMatchObject({ ok: false })
    expect(make([message('assistant', [call('a', 'x', 7)]), message('tool', [result('a')])])).toMatchObject({
      ok: false,
    })
  })

  it.each([
    ['*** Begin Patch', { input: '*** Begin Patch' }],
    [['a', { b: 1 }], { items: ['a', { b: 1 }] }],
  ])('stores an unnamed input under a name: %j', (input, kept) => {
    const said = [message('assistant', [call('a', 'apply_patch', input)]), message('tool', [result('a')])]
    expect(unwrap(make(said)).template.examples).toMatchObject([{ arguments: kept }])
  })

  it.each([null, 7, true])('has no example of a call with the input %j', (input) => {
    const said = [message('assistant', [call('a', 'x', input), call('b')])]
    const answers = [message('tool', [result('a'), result('b')])]
    const made = unwrap(make([...said, ...answers]))
    expect([made.template.examples.length, made.calls, made.failed, made.unanswered]).toEqual([1, 2, 0, 0])
  })

  it.each([
    ['hermes', 'terminal', true, 1],
    ['hermes', 'read_file', true, 2],
    ['codex', 'shell', true, 2],
    ['codex', 'shell', null, 1],
  ] as const)('for %s counts words of %s said to be %j at their value', (source, tool, ok, count) => {
    const quoted = 'Traceback (most recent call last):\n  File "a.py", line 1'
    const said = [message('assistant', [call('a', tool), call('b', tool)])]
    const answers = [message('tool', [result('a', quoted, ok), result('b', 'fine', ok)])]
    const made = unwrap(make([...said, ...answers], {}, session({ source })))
    expect(made.template.examples).toHaveLength(count)
  })
})

import { describe, expect, it } from 'vitest'
import { readTemplate, templateText } from './file.ts'
import { make, template, turn, unwrap } from './make.test-kit.ts'

const EXAMPLE = { tool_name: 'terminal', arguments: {}, result: '', success: true }
const read = (value: unknown) => readTemplate(typeof value === 'string' ? value : JSON.stringify(value))
const problem = (value: unknown) => {
  const result = read(value)
  return result.ok ? undefined : result.message
}

describe('template file', () => {
  it('has exactly the documented keys, in order and with their types', () => {
    const made = unwrap(make([...turn('a', 'fine'), ...turn('b', 'good')])).template
    const written: unknown = JSON.parse(templateText(made))
    expect(written).toStrictEqual({
      name: expect.stringMatching(/^terminal_20260415_\d+$/),
      task_type: 'terminal',
      examples: [
        { tool_name: 'terminal', arguments: {}, result: 'fine', success: true },
        { tool_name: 'terminal', arguments: {}, result: 'good', success: true },
      ],
      description: 'Template with 2 examples',
      created_at: expect.any(Number),
      usage_count: 0,
      source_session_id: '20260415_101500_ab12cd',
    })
    expect(Object.keys(written as object)).toEqual([
      'name',
      'task_type',
      'examples',
      'description',
      'created_at',
      'usage_count',
      'source_session_id',
    ])
    expect(made.created_at).toBeGreaterThan(0)
  })

  it("is written like Python's JSON: two spaces, ASCII only", () => {
    const text = templateText({ name: 'Größe 🎉', list: [], deep: { a: [1, { b: '\u007f\n"' }] } })
    expect(text).toBe(
      '{\n  "name": "Gr\\u00f6\\u00dfe \\ud83c\\udf89",\n  "list": [],\n  "deep": {\n    "a": [\n      1,\n      {\n' +
        '        "b": "\\u007f\\n\\""\n      }\n    ]\n  }\n}',
    )
    expect(JSON.parse(text)).toEqual({ name: 'Größe 🎉', list: [], deep: { a: [1, { b: '\u007f\n"' }] } })
  })

  it('is read back as it was written', () => {
    const whole = template({ name: '日本', usage_count: 3 })
    expect(unwrap(readTemplate(templateText(whole))).template).toEqual(whole)
  })

  it('may omit keys with defaults and contain unknown ones', () => {
    const { template: least, raw } = unwrap(read({ name: 'x', task_type: 'mixed', tags: ['mine'] }))
    expect(least).toEqual({
      name: 'x',
      task_type: 'mixed',
      examples: [],
      description: '',
      created_at: 0,
      usage_count: 0,
      source_session_id: null,
    })
    expect(raw.tags).toEqual(['mine'])
  })

  it('may contain odd arguments and results that Hermes accepts', () => {
    const odd = [null, [1], 'text', 7].map((each) => ({ ...EXAMPLE, arguments: each, result: null }))
    const { examples } = unwrap(read({ name: 'x', task_type: 'code', examples: odd })).template
    const given = [{}, { items: [1] }, { input: 'text' }, {}]
    expect(examples).toEqual(given.map((each) => ({ ...EXAMPLE, arguments: each })))
  })

  it('has an unknown creation time if it names an impossible one', () => {
    const madeAt = (created_at: unknown) =>
      unwrap(read({ name: 'x', task_type: 'code', created_at })).template.created_at
    const now = 1_776_248_430.25
    expect([0, now, -1, now * 1_000, 8.64e12, 1e300].map(madeAt)).toEqual([0, now, 0, 0, 0, 0])
  })

  it('may contain numbers that only Python writes', () => {
    const { examples } = unwrap(
      read(
        `{"name": "x", "task_type": "code", "examples": [{"tool_name": "t", "result": "NaN \\" NaN", "success": true,
          "arguments": {"a": NaN, "b": [-Infinity, Infinity], "c": "NaN"}}]}`,
      ),
    ).template
    expect(examples).toMatchObject([
      { arguments: { a: null, b: [null, null], c: 'NaN' }, result: 'NaN " NaN' },
    ])
    expect(problem(`NaN${'"\\'.repeat(200_000)}`)).toBe('It is not JSON')
  })

  it.each([
    ['', 'It is not JSON'],
    ['{"name": ', 'It is not JSON'],
    ['[]', 'It is not a JSON object'],
    ['null', 'It is not a JSON object'],
    [{ task_type: 'code' }, /^name: /],
    [{ name: '', task_type: 'code' }, /^name: /],
    [{ name: 7, task_type: 'code' }, /^name: /],
    [{ name: 'x' }, /^task_type: /],
    [{ name: 'x', task_type: 'browser' }, /^task_type: /],
    [{ name: 'x', task_type: 'code', examples: {} }, /^examples: /],
    [{ name: 'x', task_type: 'code', examples: [{}] }, /^examples\.0\./],
    [{ name: 'x', task_type: 'code', examples: [EXAMPLE, { ...EXAMPLE, success: 'yes' }] }, /^examples\.1\./],
    [
      { name: 'x', task_type: 'code', examples: [{ ...EXAMPLE, arguments: undefined }] },
      /^examples\.0\.arguments/,
    ],
    [{ name: 'x', task_type: 'code', usage_count: 'many' }, /^usage_count: /],
    [{ name: 'x', task_type: 'code', usage_count: -1 }, /^usage_count: /],
    [{ name: 'x', task_type: 'code', created_at: 'today' }, /^created_at: /],
    ['[['.repeat(200_000), 'It is not JSON'],
    [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /nested deeper/],
  ])('is rejected with a reason if it is %.60j', (value, reason) => {
    expect(problem(value)).toMatch(reason)
  })
})

import { describe, expect, it } from 'vitest'
import {
  isNestedTooDeep,
  JSON_LEVELS,
  jsonProblem,
  parseJson,
  parseShallowJson,
  TOO_DEEP,
} from './parse-json.ts'

const lists = (levels: number, inner = '') => '['.repeat(levels) + inner + ']'.repeat(levels)
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe('parseJson', () => {
  it.each([
    ['an object', '{"a":[1,{"b":"c"}]}'],
    ['as many levels as are allowed', lists(JSON_LEVELS)],
    ['many lists side by side', `[${'[1],'.repeat(5_000)}[]]`],
    ['brackets in a string', JSON.stringify({ text: '['.repeat(50_000) })],
    ['brackets after escaped quotes', JSON.stringify(['"'.repeat(9), '{'.repeat(2_000), '\\'])],
    ['brackets after backslashes', JSON.stringify({ path: `C:\\${'['.repeat(2_000)}`, end: '\\\\' })],
  ])('parses %s like JSON.parse', (_name, text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  it.each([
    ['lists', lists(JSON_LEVELS + 1)],
    ['objects', objects(JSON_LEVELS + 1)],
    ['50,000 lists', lists(50_000)],
    ['lists and objects in turn', `${'[{"a":'.repeat(300)}0${'}]'.repeat(300)}`],
    ['lists below strings with quotes', `["\\"\\\\",${lists(JSON_LEVELS, '"]"')}]`],
  ])('rejects %s that are nested too deeply', (_name, text) => {
    expect(isNestedTooDeep(text)).toBe(true)
    expect(() => parseJson(text)).toThrow(TOO_DEEP)
    expect(jsonProblem(text)).toBe(TOO_DEEP)
  })

  it('replaces only the values that are nested too deeply', () => {
    const deep = lists(50_000)
    const text = `{"a":${deep},"b":[{"c":"[\\"["},${objects(900)}],"d":1}`
    const read = parseShallowJson(text) as Record<string, unknown>
    expect(read).toMatchObject({ b: [{ c: '["[' }, { a: expect.anything() }], d: 1 })
    expect(isNestedTooDeep(JSON.stringify(read))).toBe(false)
    expect(parseShallowJson('{"a":[1]}')).toEqual({ a: [1] })
    expect(() => parseShallowJson('['.repeat(50_000))).toThrow(SyntaxError)
  })

  it('reports text that is not JSON as such', () => {
    expect(() => parseJson('{')).toThrow(SyntaxError)
    expect(jsonProblem('{')).toBe('is not JSON')
    expect(jsonProblem('['.repeat(1_000_000))).toBe('is not JSON')
    expect(jsonProblem(`"${'['.repeat(9_000)}`)).toBe('is not JSON')
  })

  it('takes linear time on quotes and backslashes', () => {
    const hostile = '{'.repeat(JSON_LEVELS) + '"\\'.repeat(1_000_000)
    const started = performance.now()
    isNestedTooDeep(hostile)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

import { describe, expect, it } from 'vitest'
import { pythonJson } from './hermes-input.ts'

/** The output of `json.dumps(json.loads(text))` in Python 3.11. */
const CASES: readonly (readonly [string, string])[] = [
  ['1.0', '1.0'],
  ['1e5', '100000.0'],
  ['1E+16', '1e+16'],
  ['1e15', '1000000000000000.0'],
  ['1.5e-7', '1.5e-07'],
  ['0.0001', '0.0001'],
  ['0.00001', '1e-05'],
  ['-0.0', '-0.0'],
  ['-0', '0'],
  ['1e400', 'Infinity'],
  ['-1e400', '-Infinity'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['5e-324', '5e-324'],
  ['0.1', '0.1'],
  ['100.10', '100.1'],
  ['{"a":[1,2.50,{"b":null}],"c":true}', '{"a": [1, 2.5, {"b": null}], "c": true}'],
  ['"caf\\u00E9"', '"caf\\u00e9"'],
  ['"café 日本 😀"', '"caf\\u00e9 \\u65e5\\u672c \\ud83d\\ude00"'],
  ['"a\\/b\\u002fc"', '"a/b/c"'],
  ['"\\u0000\\u001f\\u007f\\b\\f\\n\\r\\t\\"\\\\"', '"\\u0000\\u001f\\u007f\\b\\f\\n\\r\\t\\"\\\\"'],
  ['"\\ud83d\\ude00 \\ud800"', '"\\ud83d\\ude00 \\ud800"'],
  [' [ 1 , 2 ] ', '[1, 2]'],
  ['[]', '[]'],
  ['{}', '{}'],
  ['[ {"name" : "x"} ]', '[{"name": "x"}]'],
  ['"\u2028"', '"\\u2028"'],
  ['9007199254740993', '9007199254740993'],
  ['12345678901234567.0', '1.2345678901234568e+16'],
  ['1e22', '1e+22'],
  ['1e21', '1e+21'],
  ['123456789.123456789e-3', '123456.7891234568'],
]

describe('JSON as Python writes it', () => {
  it.each(CASES)('formats %s', (text, written) => {
    expect(pythonJson(text)).toBe(written)
  })

  it('accepts the three numbers that JSON lacks', () => {
    const text = '[NaN, -Infinity, Infinity, "NaN \\" Infinity", -1]'
    expect(pythonJson(text)).toBe(text)
  })

  it('keeps a duplicate key, of which Python keeps the last', () => {
    expect(pythonJson('{"a":1,"a":2}')).toBe('{"a": 1, "a": 2}')
  })

  it.each(['', '{', '[1,]', '"a', "{'a': 1}", '01', 'nan', '[Infinityx]', '"\n"'])('rejects %j', (text) => {
    expect(pythonJson(text)).toBeUndefined()
  })

  it('rejects unterminated text, in linear time', () => {
    const hostile = `NaN "${'\\"'.repeat(400_000)}`
    const began = performance.now()
    expect(pythonJson(hostile)).toBeUndefined()
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})

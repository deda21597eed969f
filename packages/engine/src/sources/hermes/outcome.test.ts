import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { okOf } from './outcome.ts'

/** The rule itself, without a look at the text first. */
function byRule(value: Record<string, unknown>): boolean {
  const { success, ok, exit_code, returncode, error } = value
  if (success === false || ok === false) return false
  if ([exit_code, returncode].some((code) => typeof code === 'number' && code !== 0)) return false
  return error === undefined || error === null || error === false || error === ''
}

describe('whether a tool did what it was asked for', () => {
  it('is told by the fields of its answer, however they are written and whatever else it says', () => {
    const name = fc.constantFrom('success', 'ok', 'exit_code', 'returncode', 'error', 'output')
    const field = fc.oneof(
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom(0, 1, -1, 10, 0.5),
      fc.constantFrom('', 'no', '"error": 1', '{"exit_code": 2}'),
      fc.dictionary(name, fc.constantFrom<unknown>(false, 1, 'no'), { maxKeys: 2 }),
    )
    const spaces = fc.constantFrom(0, 1, 2)
    fc.assert(
      fc.property(fc.dictionary(name, field), spaces, (value, indent) => {
        expect(okOf(JSON.stringify(value, null, indent))).toBe(byRule(value))
      }),
    )
  })

  it('is not told by what is no JSON', () => {
    expect(okOf('{"error": "half')).toBe(true)
    expect(okOf('{"\\u0065rror": "written in another way"}')).toBe(false)
    expect(okOf("Error executing tool 'x'")).toBe(false)
  })
})

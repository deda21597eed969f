import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hermesToolSucceeded } from './outcome.ts'

const NOT_RUN = ['blocked', 'denied', 'cancelled', 'canceled', 'approval_required', 'pending_approval']

/** The rule itself, without the quick check of the text. */
function byRule(value: Record<string, unknown>): boolean | null {
  const { success, ok, exit_code, returncode, error, status } = value
  if (status === 'interrupted') return null
  const isEmpty = !error || (typeof error === 'object' && Object.keys(error).length === 0)
  const failed =
    success === false ||
    ok === false ||
    [exit_code, returncode].some((code) => typeof code === 'number' && code !== 0) ||
    !isEmpty
  if (!failed) return true
  return NOT_RUN.includes(status as string) ? null : false
}

describe('hermesToolSucceeded', () => {
  it('follows the fields of the result in any notation and among any other content', () => {
    const name = fc.constantFrom('success', 'ok', 'exit_code', 'returncode', 'error', 'output', 'status')
    const field = fc.oneof(
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom(0, 1, -1, 10, 0.5),
      fc.constantFrom('', 'no', '"error": 1', '{"exit_code": 2}', 'interrupted', 'done', ...NOT_RUN),
      fc.dictionary(name, fc.constantFrom<unknown>(false, 1, 'no'), { maxKeys: 2 }),
    )
    const spaces = fc.constantFrom(0, 1, 2)
    fc.assert(
      fc.property(fc.dictionary(name, field), spaces, (value, indent) => {
        expect(hermesToolSucceeded(JSON.stringify(value, null, indent))).toBe(byRule(value))
      }),
    )
  })

  it('finds a failure in text only with the error prefix or in valid JSON', () => {
    expect(hermesToolSucceeded('{"error": "half')).toBe(true)
    expect(hermesToolSucceeded('{"\\u0065rror": "written in another way"}')).toBe(false)
    expect(hermesToolSucceeded("Error executing tool 'x'")).toBe(false)
  })

  it.each([
    ['denied by a person', { output: '', exit_code: -1, error: 'BLOCKED: User denied', status: 'blocked' }],
    ['still to be approved', { output: '', exit_code: -1, error: '', status: 'pending_approval' }],
    ['cancelled', { error: 'Tool execution cancelled by user interrupt', status: 'cancelled' }],
    ['interrupted', { output: 'one\ntwo\n[Command interrupted]', exit_code: 130, error: null }],
    ['interrupted while it waited', { status: 'interrupted', output: 'so far' }],
  ])('returns null for a call that was %s', (_how, result) => {
    expect(hermesToolSucceeded(JSON.stringify(result))).toBeNull()
  })

  it('returns false for a command that exits with 130 itself and true for reading a blocked ticket', () => {
    const printed = {
      output: '[Command interrupted] is what it prints\nthe end',
      exit_code: 130,
      error: null,
    }
    expect(hermesToolSucceeded(JSON.stringify(printed))).toBe(false)
    expect(hermesToolSucceeded(JSON.stringify({ success: true, status: 'blocked' }))).toBe(true)
  })
})

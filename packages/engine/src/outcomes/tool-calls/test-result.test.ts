import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { took } from './cpu-time.test-kit.ts'
import { judgeTestRun } from './test-outcome.ts'
import { parseTestResult } from './test-result.ts'
import { parseTestRun, type TestRun } from './test-run.ts'

const SCRIPT = parseTestRun('npm test') as TestRun
const wentOf = (...args: Parameters<typeof judgeTestRun>) => judgeTestRun(...args)[0]?.went

describe('output of a test run', () => {
  it.each([
    ['test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured', 2, 10],
    ['test result: ok. 12 passed; 0 failed; 1 ignored', 0, 12],
    ['test result: ok. 12 passed; 0 failed\n\ntest result: ok. 3 passed; 0 failed', 0, 15],
    ['     Summary [   0.1s] 12 tests run: 10 passed, 2 failed, 0 skipped', 2, 10],
    [' Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 10 passed (12)', 2, 10],
    ['\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m12 passed\u001b[39m\u001b[22m (12)', 0, 12],
    ['Tests:       2 failed, 1 skipped, 10 passed, 13 total', 2, 10],
    ['Tests:       12 passed, 12 total', 0, 12],
    ['  10 passing (20ms)\n  2 failing', 2, 10],
    [' 10 pass\n 2 fail', 2, 10],
    ['# tests 12\n# pass 10\n# fail 2', 2, 10],
    ['ℹ pass 12\nℹ fail 0', 0, 12],
    ['  2 failed\n    [chromium] › a.spec.ts\n  10 passed (3.1s)', 2, 10],
    ['FAILED | 10 passed | 2 failed (30ms)', 2, 10],
    ['FAILED tests/a.py::b - assert\n=== 2 failed, 10 passed in 0.12s ===', 2, 10],
    ['==== 12 passed, 1 warning in 0.10s ====', 0, 12],
    ['12 passed in 0.1s', 0, 12],
    ['=== 1 error in 0.1s ===', 1, 0],
    ['Ran 12 tests in 0.001s\n\nFAILED (failures=1, errors=1)', 2, 10],
    ['Ran 12 tests in 0.001s\n\nOK', 0, 12],
    ['--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s', 2, 0],
    ['ok  \texample.com/a\t0.1s', 0, 0],
    ['All tests passed!', 0, 0],
    ['✓ all 12 unit tests pass', 0, 0],
    ['[ERROR] Tests run: 12, Failures: 1, Errors: 1, Skipped: 0', 2, 10],
    ['12 tests completed, 2 failed', 2, 10],
    ['Tests: 12, Assertions: 30, Failures: 2.', 2, 10],
    ['OK (12 tests, 30 assertions)', 0, 12],
    ['12 examples, 2 failures', 2, 10],
    ['12 runs, 30 assertions, 2 failures, 0 errors, 0 skips', 2, 10],
    ['Failed!  - Failed:     2, Passed:    10, Skipped:     0, Total:    12', 2, 10],
    ['Executed 12 tests, with 2 failures (0 unexpected)', 2, 10],
    ['83% tests passed, 2 tests failed out of 12', 2, 10],
    ['12 tests, 2 failures', 2, 10],
    ['ok 1 - a\nnot ok 2 - b\nnot ok 3 - c # TODO later', 1, 0],
  ])('%j has %i failed and %i passed tests', (text, failed, passed) => {
    expect(parseTestResult(text)).toMatchObject({ failed, passed, told: true })
  })

  it.each([
    'retries after 2 failed attempts',
    'the failing case of 3 tests is handled',
    'logs: request failed with 500',
    'Error: connect ECONNREFUSED',
    'compiled 12 files',
    '',
  ])('%j reports no test result', (text) => {
    expect(parseTestResult(text)).toMatchObject({ failed: 0, passed: 0, told: false })
  })

  it.each([
    ['10 passing (20ms)\n  2 failing', 1],
    ['# pass 10\n# fail 2', 1],
    ['Ran 12 tests in 0.001s\n\nFAILED (failures=1)', 1],
    ['test result: ok. 12 passed; 0 failed\ntest result: ok. 3 passed; 0 failed', 2],
    ['10 passing (20ms)\n10 passing (20ms)', 2],
  ])('%j summarizes %i runs', (text, summaries) => {
    expect(parseTestResult(text).summaries).toBe(summaries)
  })

  it.each([
    ['No test files found, exiting with code 1', true],
    ['===== no tests ran in 0.01s =====', true],
    ['Ran 0 tests in 0.000s', true],
    ['0 passing (2ms)', true],
    ['ok  \texample.com/a\t0.1s [no tests to run]\ntesting: warning: no tests to run', true],
    ['test result: ok. 0 passed; 0 failed\ntest result: ok. 3 passed; 0 failed', false],
    ['?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.1s', false],
    ['All tests passed!', false],
  ])('%j reports that no tests were run: %s', (text, none) => {
    expect(parseTestResult(text).none).toBe(none)
  })

  it('shows how a run went', () => {
    const alone = SCRIPT
    const beside = { ...SCRIPT, alone: false, endsIt: false }
    const FINE = 'Tests  12 passed (12)'
    expect(wentOf(alone, { ok: true, text: 'Tests  2 failed | 1 passed (3)' })).toBe('failed')
    expect(wentOf(alone, { ok: true, text: FINE })).toBe('passed')
    expect(wentOf(alone, { ok: null, text: FINE })).toBe('passed')
    expect(wentOf(alone, { ok: true, text: '' })).toBe('passed')
    expect(wentOf(alone, { ok: null, text: 'something' })).toBe('unknown')
    expect(wentOf(beside, { ok: true, text: '0' })).toBe('unknown')
    expect(wentOf(alone, { ok: false, text: 'Exit code 1\nerror[E0308]: mismatched' })).toBe('failed')
    expect(wentOf(alone, { ok: false, text: `Exit code 1\n${FINE}\ncoverage is too low` })).toBe('failed')
    expect(wentOf(beside, { ok: false, text: `Exit code 1\n${FINE}\nlint: 3 problems` })).toBe('passed')
    expect(wentOf(beside, { ok: false, text: 'Exit code 1\nbuild: no such file' })).toBe('unknown')
  })

  it.each([
    "The user doesn't want to proceed with this tool use.",
    '[Request interrupted by user for tool use]',
    'Command running in background with ID: b1',
    'Exit code 127\nbash: vitest: command not found',
    'npm error Missing script: "test"',
  ])('is unknown for a run that did not happen: %j', (text) => {
    expect(wentOf(SCRIPT, { ok: false, text })).toBe('unknown')
  })

  it('is parsed in linear time, whatever it is', async () => {
    fc.assert(fc.property(fc.string(), (text) => parseTestResult(text).failed >= 0))
    for (const part of [
      'failed',
      'Tests 1 failed, ',
      '1 failed\n',
      'Tests  ',
      '=',
      ' ',
      'not ok 1 ',
      '1 passed, ',
    ])
      expect(await took(() => parseTestResult(part.repeat(2_000_000 / part.length)))).toBeLessThan(3_000)
  })
})

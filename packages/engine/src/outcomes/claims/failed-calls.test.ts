import { describe, expect, it } from 'vitest'
import { ran, verdictOf } from './claims.test-kit.ts'

describe('claim that points to a failed call or to tests', () => {
  it.each([
    ['There are 3 vulnerabilities', 'npm audit', '3 vulnerabilities (1 low, 2 high)'],
    ['grep exits with code 2', 'grep -c foo x', 'grep: x: No such file'],
    ['9 passed, 3 to go', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['9 of 12 tests pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['9/12 tests pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['9 tests pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['12 tests, 3 do not pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['All but 3 tests pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['10 of 12 tests pass', 'python -m unittest', 'Ran 12 tests in 0.1s\n\nFAILED (failures=2)'],
    ['有 3 个测试失败', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['共有3个测试失败', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['Осталось 3 упавших теста', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['tsc finds 14 problems', 'npx tsc --noEmit', 'Found 14 problems in 3 files.'],
    ['Build took 3.2 s', 'npm run build', 'failed after 3.2 s'],
    ['Die Prüfung dauerte 3,2 s', 'make check', 'took 3.2 s'],
    ['Нашлось 1 204 строки', 'make check', '1,204 rows'],
    ['4 of 5 requests succeed', 'node probe.mjs', '4 ok, 1 failed of 5'],
    ['2 tests fail', 'npm test', 'Tests  2 failed | 410 passed (412)'],
  ])('%s holds by the output of %s although it failed', async (claim, command, text) => {
    const failed = ran(`Exit code 2\n${text}`, false, command)
    for (const pointer of ['toolu_1', command])
      expect(await verdictOf(failed, `${claim} [REAL: ${pointer}]`)).toEqual(['holds', expect.any(String)])
  })

  it.each([
    ['the build is fine', 'npm run build', 'x.ts: wrong'],
    ['no type errors', 'npx tsc --noEmit', 'x.ts: wrong'],
    ['the build passes in 3.2 s', 'npm run build', 'stopped after 3.2 s'],
    ['all tests pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['tests pass after 2 fixes', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['12 tests pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['all 12 tests pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['8 of 12 tests pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['0 tests failed', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['12 tests pass', 'cargo test', 'error[E0308]: mismatched'],
    ['3 problems', 'npx tsc --noEmit', 'Found 14 problems in 2 files.'],
  ])('%s fails if %s failed', async (claim, command, text) => {
    const failed = ran(`Exit code 2\n${text}`, false, command)
    expect((await verdictOf(failed, `${claim} [REAL: toolu_1]`))[0]).toBe('fails')
  })

  it.each([
    ['the build is fine', 'grep -i error build.log', ''],
    ['no errors', 'grep -c error build.log', '0'],
    ['lint is ok', 'npm run lint && npm run build', 'x.ts: wrong'],
    ['the 4 new tests pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['the unit tests pass', 'npm test', 'Tests  3 failed | 9 passed (12)'],
    ['all tests pass', 'npm test', 'Tests  12 passed (12)\ncoverage is too low'],
    ['all tests pass', 'npx vitest run x', 'No test files found, exiting with code 1'],
    ['the build is fine', 'npm run build', 'Command timed out after 2m 0.0s'],
    ['the build is fine', 'make', 'bash: make: command not found'],
    ['the tests do not pass in 5 s', 'npm test', 'error'],
    ['it does not fail', 'npm test', 'error'],
    ['I pass 3 arguments', 'make', 'x.c: wrong'],
    ['fine-tuned in 9 s', 'make', 'x.c: wrong'],
    ['Сборка прошла', 'make', 'x.c: wrong'],
    ['构建成功', 'make', 'x.c: wrong'],
    ['a.ts has 2 problems', 'npx tsc --noEmit', 'Found 14 problems in 3 files.'],
    ['1 204 matches', 'make', '204 matches were made'],
  ])('%s is open if %s failed, which does not contradict it', async (claim, command, text) => {
    const failed = ran(`Exit code 1\n${text}`, false, command)
    expect([claim, (await verdictOf(failed, `${claim} [REAL: toolu_1]`))[0]]).not.toEqual([claim, 'fails'])
  })

  it.each([
    'The 4 new tests pass',
    'Added 2 tests, all pass',
    '2 of them are regression tests and pass',
    'The suite of 5 checks is fine',
    'all tests pass on 3 platforms',
    'I changed 7 files, and the tests pass',
    '3 test files pass',
  ])('%s is open if more passed than it mentions', async (claim) => {
    const passed = ran('Tests  12 passed (12)', true, 'npm test')
    expect((await verdictOf(passed, `${claim} [REAL: npm test]`))[0]).toBe('open')
  })

  it.each([
    'Тесты прошли',
    '通过了 12 个测试',
    'Las 12 pruebas pasan',
    'the unit tests are fine',
    '12 tests',
  ])('%s is open if some tests failed although the exit code is hidden', async (claim) => {
    const failed = ran('Tests  3 failed | 9 passed (12)', true, 'npm test | tail -1')
    expect(await verdictOf(failed, `${claim} [REAL: npm test]`)).toEqual(['open', '3 failed in that call'])
  })

  it('holds by the total number of tests if some were skipped', async () => {
    const skipped = ran('Tests  12 passed | 3 skipped (15)', true, 'npm test')
    expect((await verdictOf(skipped, 'All 15 tests pass or are skipped [REAL: npm test]'))[0]).toBe('holds')
    expect((await verdictOf(skipped, 'all 20 tests pass [REAL: npm test]'))[0]).toBe('fails')
    expect((await verdictOf(skipped, 'all 20 checks pass [REAL: npm test]'))[0]).toBe('open')
  })

  it('is open if a line counts the same things for another reason', async () => {
    expect((await verdictOf(ran('README mentions 3 files.'), 'I changed 7 files [REAL: toolu_1]'))[0]).toBe(
      'open',
    )
    const tests = ran('Ran 12 tests in 5.1s', true, 'python -m unittest')
    expect((await verdictOf(tests, 'the slowest test takes 1.2 s [REAL: toolu_1]'))[0]).toBe('open')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasFailed } from './index.ts'

const failed = (text: string, ok: boolean | null = null) => hasFailed({ ok, text })
const json = (value: unknown) => failed(JSON.stringify(value))

const PYTHON =
  'working\nTraceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: no'
const SCRIPT = 'TypeError: x is not a function\n    at run (/app/a.js:3:9)\n    at node:internal/main:1:2'
const GO = 'panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()'
const RUST = "thread 'main' panicked at src/main.rs:2:5:\nboom"
const JAVA = 'Exception in thread "main" java.lang.NullPointerException\n\tat com.acme.App.main(App.java:5)'

describe('result of a call', () => {
  it('is a failure if its source reports one, not if its source reports nothing', () => {
    expect(failed('fine', false)).toBe(true)
    expect(failed('fine', null)).toBe(false)
    expect(failed('fine', true)).toBe(false)
    expect(failed('')).toBe(false)
  })

  it.each([
    { exit_code: 1 },
    { exitCode: -1 },
    { returncode: 127 },
    { return_code: 2 },
    { exit_code: '1' },
    { code: 1 },
    { code: 404 },
    { error: 'no such file' },
    { error: { message: 'x' } },
    { error: ['x'] },
    { error: true },
    { is_error: true },
    { isError: true },
    { success: false },
    { ok: false },
    { status: 'error' },
    { status: 'FAILED' },
    { status: 'failure' },
    { result: { error: 'x' } },
    { data: { success: false } },
    { output: { exit_code: 3 } },
    { output: PYTHON },
    { stderr: SCRIPT },
    { output: '', exit_code: 0, error: 'timed out' },
    { exit_status: 1 },
    { success: 'false' },
    { errors: ['boom'] },
    { status: 500 },
    { status: 'timed_out' },
    { status: 'cancelled' },
    { metadata: { exit_code: 2 } },
    [{ is_error: true }],
    [{ type: 'text', text: 'Error: x' }],
    { result: "Error executing tool 'x': y" },
  ])('is a failure if it is %j', (value) => {
    expect(json(value)).toBe(true)
    expect(failed(`\n ${JSON.stringify(value, null, 2)}`)).toBe(true)
  })

  it.each([
    { exit_code: 0, error: null },
    { exit_code: 0, error: '' },
    { error: false },
    { error: {} },
    { error: 'none' },
    { code: 100 },
    { errors: [] },
    { status: 200 },
    { output: PYTHON, exit_code: 0 },
    { stderr: SCRIPT, exit_code: 0 },
    { output: 'Error: this is a line', exit_code: 0, error: null },
    [{ status: 'failed', error: 'of a list that was asked for' }],
    { error: [] },
    { error: 0.25 },
    { success: true, data: { web: [{ title: 'error' }] } },
    { status: 'ok' },
    { status: 'success', output: 'Errors: 0' },
    { code: 200, data: {} },
    { code: 0 },
    { code: 'print(1)' },
    { exit_code: null },
    { is_error: false },
    { matches: [{ success: false, error: 'in a file' }] },
    { content: '   12|raise ValueError("no")' },
    {},
  ])('is not a failure if it is %j', (value) => {
    expect(json(value)).toBe(false)
  })

  it.each([
    '<tool_use_error>Error: No such tool available: Glob.</tool_use_error>',
    "Error executing tool 'read_file': gone",
    'Exit code 2\nls: cannot access',
    'Exit code: 127\nWall time: 0.1 seconds\nOutput:\n',
    'Process exited with code 1\nOutput:\n',
    'Command exited with status 3',
    'building\nexit status 1',
    'go: main.go: exit status 2\n',
    'make failed with exit code 2',
    'Error: ENOENT: no such file',
    'ERROR: could not install',
    '  error: pathspec did not match',
    'ModuleNotFoundError: No module named x',
    '{"output":"a","exit_code":1}\n[hint: look at the log]',
    '{"a":"\\"}{","error":"x"} and words',
    '\uFEFF{"error":"x"}',
    '\u001b[31mError: x\u001b[0m',
    '<error>it broke</error>',
    "The user doesn't want to proceed with this tool use.",
    '[Request interrupted by user for tool use]',
    'bash: foo: command not found',
    '/bin/sh: 1: foo: not found',
    'zsh: command not found: foo',
    'Segmentation fault (core dumped)',
    "a.rb:3:in 'run': no (ArgumentError)\n\tfrom a.rb:9:in '<main>'",
    'Unhandled exception. System.Exception: no\n   at A.Main()',
    'PHP Fatal error:  Uncaught Exception: no in /a.php:3',
    'java.io.IOException: closed',
    PYTHON,
    SCRIPT,
    GO,
    RUST,
    JAVA,
    `done\r\n${PYTHON.replaceAll('\n', '\r\n')}`,
    '  + Exception Group Traceback (most recent call last):'.replace('Exception Group ', ''),
    'File "a.py", line 1\n    x = = 1\nSyntaxError: invalid syntax',
  ])('is a failure if it reads %j', (text) => {
    expect(failed(text)).toBe(true)
  })

  it.each([
    'Exit code 0\nfine',
    'Exit code: 0\nWall time: 1 seconds\nOutput:\nerror: could not find it, says line 3',
    'the man page of sh says: command not found is 127',
    '{"output":"a","exit_code":0}\n[hint: look at the log]',
    'Exit code: 0\nWall time: 0.1 seconds\nOutput:\nErrors: none',
    'Process exited with code 0',
    'exit status 0',
    'No errors found',
    '12 tests passed, 0 failed',
    'Erroring on the side of caution',
    'what to do when a call fails with an Error: nothing',
    'meet me\n  at the station at 10:30:20 or later',
    'returned status 200',
    '[1, 2, 3]',
    'null',
    '{not json',
  ])('is not a failure if it reads %j', (text) => {
    expect(failed(text)).toBe(false)
  })

  const QUOTED = [PYTHON, 'Error: as the file says', 'Exit code 2 is returned by hooks', JAVA]
  it.each(QUOTED)('that its source calls successful and reads %j is a failure only for a command', (text) => {
    for (const said of [text, JSON.stringify({ content: text })]) {
      for (const kind of ['file', 'research', undefined] as const)
        expect(hasFailed({ ok: true, text: said }, { kind })).toBe(false)
      for (const kind of ['terminal', 'code'] as const) {
        expect(hasFailed({ ok: true, text: said }, { kind })).toBe(true)
        expect(hasFailed({ ok: true, text: said }, { kind, isSure: true })).toBe(false)
      }
      expect(hasFailed({ ok: null, text: said }, { kind: 'file' })).toBe(true)
    }
  })

  it.each([
    '{"exit_code": 1}',
    '{"error": "x"}',
    '<tool_use_error>x</tool_use_error>',
    "Error executing tool 'x': y",
  ])('that its source calls successful is a failure if it says so itself: %s', (text) => {
    expect(hasFailed({ ok: true, text }, { kind: 'file' })).toBe(true)
  })

  it('is examined to its end', () => {
    expect(failed(`${'all is well\n'.repeat(200_000)}${PYTHON}`)).toBe(true)
    expect(failed(JSON.stringify({ output: 'x'.repeat(2_000_000), exit_code: 1 }))).toBe(true)
  })

  it('never makes the check throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json({ maxDepth: 4 })), (text) => {
        expect(typeof failed(text)).toBe('boolean')
      }),
    )
    expect(failed('{"a":'.repeat(500_000))).toBe(false)
    expect(failed(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)).toBe(false)
  })

  it.each([
    '\n',
    ' ',
    '\t',
    'a',
    ' at ',
    '    at a:1:',
    '    at a.b(',
    "thread '",
    'Error',
    'exited with ',
    'failed ',
    ': exit status 1 ',
    'exit code: 0 ',
    'goroutine 1',
    '\n at x\n',
    '{',
    '{"a',
    '[\\"',
    'bash: ',
    'a.rb:1:in ',
    'x.y.',
    `    at ${'a:1'.repeat(300)}\n`,
    `Uncaught ${'a: '.repeat(300)}\n`,
  ])('is checked in linear time for repeated %j', (piece) => {
    const time = (length: number): number => {
      const text = piece.repeat(Math.ceil(length / piece.length))
      const before = process.cpuUsage()
      failed(text)
      return process.cpuUsage(before).user / 1_000
    }
    time(100_000)
    expect(time(1_000_000)).toBeLessThan(3_000)
  })
})

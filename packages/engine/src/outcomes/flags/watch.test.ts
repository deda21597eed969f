import type { Message } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { took } from '../tool-calls/cpu-time.test-kit.ts'
import { answers, calls, message } from '../tool-calls/messages.test-kit.ts'
import { does, FUNCTIONAL, flagsAfter, lastCall, run, wrote } from './watch.test-kit.ts'
import { createFlagWatch } from './watch.ts'

const BAD = 'Tests  2 failed | 10 passed (12)'
const GOOD = 'Tests  12 passed (12)'

describe('functional marker', () => {
  it('is flagged if the last run of tests failed, with the call that shows it', () => {
    const flags = flagsAfter([...run('npm test', GOOD), ...run('npm test', BAD, false)])
    expect(flags).toEqual([
      {
        kind: 'failing_tests',
        says: 'Reports functional, but its last run of JavaScript tests failed: 2 failed.',
        evidence: {
          source: 'claude-code',
          session_id: 's',
          agent_id: 'main',
          n: 2,
          tool_use_id: lastCall(),
          quote: BAD,
        },
      },
    ])
  })

  it('is flagged although the command hid the exit code', () => {
    expect(flagsAfter(run('npm test 2>&1 | tail -3', BAD, true))).toHaveLength(1)
    expect(
      flagsAfter(run('cargo test || true', 'test result: FAILED. 1 passed; 2 failed', true)),
    ).toHaveLength(1)
  })

  it('is not flagged if a later run of the same kind passed, with any runner', () => {
    expect(flagsAfter([...run('npm test', BAD, false), ...run('npx vitest run a', GOOD)])).toEqual([])
    expect(flagsAfter([...run('make test', 'x', false), ...run('pytest', '3 passed in 0.1s')])).toEqual([])
    expect(flagsAfter([...run('pytest', '1 failed in 0.1s', false), ...run('make test', 'ok')])).toEqual([])
  })

  it('is flagged if only other tests passed since', () => {
    const flags = flagsAfter([...run('cargo test', 'error[E0308]', false), ...run('npm test', GOOD)])
    expect(flags.map(({ says }) => says)).toEqual([
      'Reports functional, but its last run of Rust tests failed.',
    ])
  })

  it('is judged by each kind of tests that a command runs', () => {
    const both = 'cd api && pytest -q; cd ../web && npm test'
    const first = run(both, '===== 1 failed, 3 passed in 0.1s =====\n Tests  4 passed (4)')
    expect(flagsAfter(first).map(({ says, evidence }) => [says, evidence.quote])).toEqual([
      [
        'Reports functional, but its last run of Python tests failed: 1 failed.',
        '===== 1 failed, 3 passed in 0.1s =====',
      ],
    ])
    expect(flagsAfter([...first, ...run('cd api && pytest -q', '4 passed in 0.1s')])).toEqual([])
    expect(flagsAfter([...first, ...run('npm test', GOOD)])).toHaveLength(1)
    const failed = [...run('pytest', '1 failed in 0.1s', false), ...run('cargo test', 'error', false)]
    expect(flagsAfter([...failed, ...run('pytest -q && cargo test -q', '')])).toEqual([])
    expect(flagsAfter([...failed, ...run('pytest -q; cargo test -q', '')])).toHaveLength(1)
    expect(flagsAfter([...failed, ...run(both, '4 passed in 0.1s\n Tests  4 passed (4)')])).toHaveLength(1)
  })

  it('is flagged for a failed command with several kinds of tests, until one of them passes', () => {
    const either = run('cargo test && npm test', 'error[E0308]: mismatched', false)
    expect(flagsAfter(either).map(({ says }) => says)).toEqual([
      'Reports functional, but its last run of tests failed.',
    ])
    expect(flagsAfter([...either, ...run('cargo test', 'test result: ok. 3 passed; 0 failed')])).toEqual([])
  })

  it.each([
    ['timeout 20 npx vitest', `Exit code 124\n${GOOD}\nPASS Waiting for file changes...`],
    ['npx vitest', 'Exit code 143\nCommand timed out after 2m 0.0s'],
    ['npm test', 'Exit code 137'],
    ['npm test', 'Exit code 130\n^C'],
    ['npm test', '{"output":"RUN v3","exit_code":124,"error":null}'],
    ['npm test', 'Process exited with code 143\nOutput:\n'],
    ['npm test', '{"output":"RUN","returncode":-15}'],
    ['npx vitest run none', 'Exit code 1\nNo test files found, exiting with code 1'],
    ['pytest tests/none', 'Exit code 5\n===== no tests ran in 0.01s ====='],
    ['npx jest none', 'Exit code 1\nNo tests found, exiting with code 1'],
    ['npx playwright test none', 'Exit code 1\nError: No tests found'],
    ['python -m unittest', 'Exit code 5\nRan 0 tests in 0.000s\n\nNO TESTS RAN'],
    ['ctest', 'Exit code 8\nNo tests were found!!!'],
  ])('is not flagged if %s was ended from outside or found no tests: %j', (command, text) => {
    expect(flagsAfter(run(command, text, false))).toEqual([])
  })

  it.each([
    ['timeout 20 npm test', `Exit code 124\n${BAD}`],
    ['npm test', 'Exit code 139\nSegmentation fault'],
    ['npm test', 'Exit code 134\nAborted'],
  ])('is flagged if %s failed by itself: %j', (command, text) => {
    expect(flagsAfter(run(command, text, false))).toHaveLength(1)
  })

  it('is not cleared by a run without tests', () => {
    const failed = run('npx vitest run', BAD, false)
    expect(
      flagsAfter([...failed, ...run('npx vitest run none --passWithNoTests', 'No test files found')]),
    ).toHaveLength(1)
    const rust = run('cargo test', 'test result: FAILED. 1 passed; 2 failed', false)
    const none = run('cargo test none', 'test result: ok. 0 passed; 0 failed; 0 ignored; 3 filtered out')
    expect(flagsAfter([...rust, ...none])).toHaveLength(1)
  })

  it('is not judged by a run on earlier work', () => {
    const good = run('npm test', GOOD)
    expect(flagsAfter([...good, ...run('git stash && npm test; git stash pop', BAD)])).toEqual([])
    expect(flagsAfter([...good, ...run('git stash -u; npm test; git stash apply', BAD, false)])).toEqual([])
    expect(flagsAfter([...good, ...run('git checkout main && npm test; git checkout -', BAD)])).toEqual([])
    expect(flagsAfter([...good, ...run('git worktree add ../b main && cd ../b && npm test', BAD)])).toEqual(
      [],
    )
    const apart = [...run('git stash', 'Saved'), ...run('npm test', BAD, false), ...run('git stash pop', 'x')]
    expect(flagsAfter([...good, ...apart])).toEqual([])
    const passed = [...run('git stash', 'Saved'), ...run('npm test', GOOD), ...run('git stash pop', 'x')]
    expect(flagsAfter([...run('npm test', BAD, false), ...passed])).toHaveLength(1)
  })

  it('is judged by a run on its own work next to other git commands', () => {
    expect(flagsAfter(run('git stash pop && npm test', BAD, false))).toHaveLength(1)
    expect(flagsAfter(run('git checkout -b new && npm test; git checkout main', BAD))).toHaveLength(1)
    expect(flagsAfter(run('git stash list; npm test; git stash list', BAD))).toHaveLength(1)
    const none = [
      ...run('git stash', 'No local changes to save'),
      ...run('npm test', BAD, false),
      ...run('git stash pop', 'No stash entries found.', false),
    ]
    expect(flagsAfter(none)).toHaveLength(1)
  })

  it('is not flagged for a run that did not start or is still running', () => {
    expect(
      flagsAfter(run('npm test', "The user doesn't want to proceed with this tool use.", false)),
    ).toEqual([])
    expect(flagsAfter(run('vitest', 'bash: vitest: command not found', false))).toEqual([])
    const later = [
      ...run('npm test', BAD, false),
      ...run('npm test', 'Command running in background with ID: b'),
    ]
    expect(flagsAfter(later)).toHaveLength(1)
  })

  it('is judged by the result of a background run', () => {
    const begun = [
      ...run('npm test', BAD, false),
      ...run('npm test', 'Command running in background with ID: b'),
    ]
    const look = (text: string) => [calls('l', 'BashOutput', { bash_id: 'b' }), answers('l', text)]
    expect(flagsAfter([...begun, ...look('running…')])).toHaveLength(1)
    expect(flagsAfter([...begun, ...look(`<stdout>\n${GOOD}\n</stdout>`)])).toEqual([])
    expect(flagsAfter([...begun.slice(2), ...look(BAD)])).toHaveLength(1)
    expect(flagsAfter(look(BAD))).toEqual([])
  })

  it('is not flagged for failures that were read or printed, or for other commands', () => {
    expect(flagsAfter(run('cat log.txt', BAD))).toEqual([])
    expect(flagsAfter(does('Read', { file_path: 'log.txt' }))).toEqual([])
    expect(flagsAfter(run('npm run build', 'error', false))).toEqual([])
    expect(
      flagsAfter(run('grep -rn "test result: FAILED" .', 'a: test result: FAILED. 1 passed; 2 failed')),
    ).toEqual([])
  })

  it.each([
    ['Bash', { command: 'npm test' }],
    ['terminal', { command: 'npm test' }],
    ['bash', { command: 'npm test' }],
    ['shell', { command: ['bash', '-lc', 'npm test'] }],
    ['exec_command', { cmd: 'npm test' }],
    ['local_shell', { command: ['npm', 'test'] }],
    ['mcp__desk__terminal', { command: 'npm test' }],
  ])('is flagged for runs with the tool %s', (tool, input) => {
    expect(flagsAfter([calls('x', tool, input), answers('x', BAD, null)])).toHaveLength(1)
  })

  it('is flagged by printed output inside JSON', () => {
    const text = JSON.stringify({ output: `one\n${BAD}\n`, exit_code: 1, error: null })
    expect(
      flagsAfter(run('npm test', text, false, 'terminal')).map(({ evidence }) => evidence.quote),
    ).toEqual([BAD])
  })

  it('covers its own agent only', () => {
    const other = [
      calls('x', 'Bash', { command: 'npm test' }, { agent_id: 'a1' }),
      answers('x', BAD, false, { agent_id: 'a1' }),
    ]
    expect(flagsAfter(other)).toEqual([])
    expect(flagsAfter(other, {}, 'a1')).toHaveLength(1)
  })

  it('is judged by the results reported before it', () => {
    const watch = createFlagWatch('claude-code')
    const saw = (messages: readonly Message[]) => {
      for (const each of messages) watch.saw(each, 0)
    }
    saw(run('npm test', BAD, false))
    expect(watch.findFlags('main', FUNCTIONAL)).toHaveLength(1)
    saw(run('npm test', GOOD))
    expect(watch.findFlags('main', FUNCTIONAL)).toEqual([])
  })

  it('is flagged for a failed check of its own', () => {
    const checks = [
      { name: 'cargo-check', result: 'FAIL' },
      { name: 'lint', result: 'PASS' },
      { name: 'e2e', result: 'NOT-RUN' },
      { name: 'unit', result: 'failed (2 of 12)' },
    ]
    expect(flagsAfter([], { checks }).map(({ kind, evidence }) => [kind, evidence.quote])).toEqual([
      ['failing_check', 'cargo-check: FAIL'],
      ['failing_check', 'unit: failed (2 of 12)'],
    ])
  })

  it.each(['partial', 'scaffolding', 'fail'] as const)(
    'is the only status that is checked: %s is believed',
    (shipped) => {
      const all = [...run('npm test', BAD, false), ...wrote('a.rs', 'todo!()')]
      expect(flagsAfter(all, { shipped, checks: [{ name: 'x', result: 'FAIL' }] })).toEqual([])
    },
  )

  it('is not flagged for rewound or summarized messages', () => {
    const rewound = run('npm test', BAD, false).map((each) => ({ ...each, state: 'rewound' as const }))
    expect(flagsAfter(rewound)).toEqual([])
  })
})

describe('flag watch', () => {
  it('accepts any message', () => {
    const block = fc.oneof(
      fc.record({
        type: fc.constant('tool_call' as const),
        id: fc.string({ maxLength: 2 }),
        tool: fc.constantFrom('Bash', 'Edit', 'Write', 'apply_patch', 'constructor', ''),
        input: fc.anything(),
      }),
      fc.record({
        type: fc.constant('tool_result' as const),
        id: fc.string({ maxLength: 2 }),
        ok: fc.constantFrom(true, false, null),
        text: fc.string(),
        duration_ms: fc.constant(null),
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.array(block)), (all) => {
        flagsAfter(all.map((content) => message('assistant', content)))
      }),
    )
  })

  it('stays bounded and fast over many calls and long results', async () => {
    const watch = createFlagWatch('claude-code')
    const time = await took(() => {
      for (let n = 0; n < 1_000; n++) {
        watch.saw(calls(`c${n}`, 'Write', { file_path: `src/${n}.rs`, content: 'todo!()\n'.repeat(50) }), n)
        watch.saw(answers(`c${n}`, 'ok'), n)
        watch.saw(calls('r', 'Bash', { command: `cat src/${n}.rs > x` }), n)
        watch.saw(answers('r', 'ok'), n)
      }
      watch.saw(calls('t', 'Bash', { command: 'npm test' }), 1)
      watch.saw(answers('t', 'x'.repeat(10_000_000), true), 2)
      watch.saw(calls('t', 'Bash', { command: 'npm test' }), 1)
      watch.saw(answers('t', `${'1 passed\n'.repeat(1_000_000)}${BAD}`, true), 2)
    })
    expect(watch.findFlags('main', FUNCTIONAL).some(({ kind }) => kind === 'failing_tests')).toBe(true)
    expect(time).toBeLessThan(20_000)
  })
})

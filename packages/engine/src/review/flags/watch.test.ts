import type { Message, StatusMarker } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answers, calls, message } from '../ran/messages.test-kit.ts'
import { took } from '../ran/took.test-kit.ts'
import { createFlagWatch } from './watch.ts'

const FUNCTIONAL: StatusMarker = {
  shipped: 'functional',
  stubs: 0,
  checks: [],
  behaviour_verified: 'yes',
  follow_ups: [],
}

const flagsAfter = (messages: readonly Message[], status: Partial<StatusMarker> = {}, agent = 'main') => {
  const watch = createFlagWatch('claude-code')
  for (const [n, each] of messages.entries()) watch.saw(each, n)
  return watch.flagsOf(agent, { ...FUNCTIONAL, ...status })
}
let made = 0
const run = (command: string, text: string, ok: boolean | null = true, tool = 'Bash'): readonly Message[] => {
  made += 1
  return [calls(`c${made}`, tool, { command }), answers(`c${made}`, text, ok)]
}
const does = (tool: string, input: unknown, ok: boolean | null = true): readonly Message[] => {
  made += 1
  return [calls(`c${made}`, tool, input), answers(`c${made}`, 'done', ok)]
}
const wrote = (path: string, content: string) => does('Write', { file_path: path, content })
const edited = (path: string, old_string: string, new_string: string) =>
  does('Edit', { file_path: path, old_string, new_string })

const BAD = 'Tests  2 failed | 10 passed (12)'
const GOOD = 'Tests  12 passed (12)'

describe('a marker that says functional', () => {
  it('is flagged where the last run of tests failed, with the call that shows it', () => {
    const flags = flagsAfter([...run('npm test', GOOD), ...run('npm test', BAD, false)])
    expect(flags).toEqual([
      {
        kind: 'failing_tests',
        says: 'Says functional, and its last run of JavaScript tests failed: 2 failed.',
        evidence: {
          source: 'claude-code',
          session_id: 's',
          agent_id: 'main',
          n: 2,
          tool_use_id: `c${made}`,
          quote: BAD,
        },
      },
    ])
  })

  it('is flagged though the line hid the exit code', () => {
    expect(flagsAfter(run('npm test 2>&1 | tail -3', BAD, true))).toHaveLength(1)
    expect(
      flagsAfter(run('cargo test || true', 'test result: FAILED. 1 passed; 2 failed', true)),
    ).toHaveLength(1)
  })

  it('is not flagged where a later run passed, whichever runner of the same kind', () => {
    expect(flagsAfter([...run('npm test', BAD, false), ...run('npx vitest run a', GOOD)])).toEqual([])
    expect(flagsAfter([...run('make test', 'x', false), ...run('pytest', '3 passed in 0.1s')])).toEqual([])
    expect(flagsAfter([...run('pytest', '1 failed in 0.1s', false), ...run('make test', 'ok')])).toEqual([])
  })

  it('is flagged where only other tests passed since', () => {
    const flags = flagsAfter([...run('cargo test', 'error[E0308]', false), ...run('npm test', GOOD)])
    expect(flags.map(({ says }) => says)).toEqual(['Says functional, and its last run of Rust tests failed.'])
  })

  it('is judged by each kind of tests that a line runs', () => {
    const both = 'cd api && pytest -q; cd ../web && npm test'
    const first = run(both, '===== 1 failed, 3 passed in 0.1s =====\n Tests  4 passed (4)')
    expect(flagsAfter(first).map(({ says, evidence }) => [says, evidence.quote])).toEqual([
      [
        'Says functional, and its last run of Python tests failed: 1 failed.',
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

  it('is flagged for a line of several kinds of tests that failed, until one of them passes', () => {
    const either = run('cargo test && npm test', 'error[E0308]: mismatched', false)
    expect(flagsAfter(either).map(({ says }) => says)).toEqual([
      'Says functional, and its last run of tests failed.',
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
  ])('is not flagged where %s was ended from outside or found no tests: %j', (command, text) => {
    expect(flagsAfter(run(command, text, false))).toEqual([])
  })

  it.each([
    ['timeout 20 npm test', `Exit code 124\n${BAD}`],
    ['npm test', 'Exit code 139\nSegmentation fault'],
    ['npm test', 'Exit code 134\nAborted'],
  ])('is flagged where %s failed by itself: %j', (command, text) => {
    expect(flagsAfter(run(command, text, false))).toHaveLength(1)
  })

  it('is not cleared by a run of no tests', () => {
    const failed = run('npx vitest run', BAD, false)
    expect(
      flagsAfter([...failed, ...run('npx vitest run none --passWithNoTests', 'No test files found')]),
    ).toHaveLength(1)
    const rust = run('cargo test', 'test result: FAILED. 1 passed; 2 failed', false)
    const none = run('cargo test none', 'test result: ok. 0 passed; 0 failed; 0 ignored; 3 filtered out')
    expect(flagsAfter([...rust, ...none])).toHaveLength(1)
  })

  it('is not judged by a run of what was there before', () => {
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

  it('is judged by a run of its own work beside other commands of git', () => {
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

  it('is not flagged for what was not run, or for a run that goes on', () => {
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

  it('is judged by what a run in the background came to', () => {
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

  it('is flagged by what was printed, though the result is JSON', () => {
    const text = JSON.stringify({ output: `one\n${BAD}\n`, exit_code: 1, error: null })
    expect(
      flagsAfter(run('npm test', text, false, 'terminal')).map(({ evidence }) => evidence.quote),
    ).toEqual([BAD])
  })

  it('answers for its own agent alone', () => {
    const other = [
      calls('x', 'Bash', { command: 'npm test' }, { agent_id: 'a1' }),
      answers('x', BAD, false, { agent_id: 'a1' }),
    ]
    expect(flagsAfter(other)).toEqual([])
    expect(flagsAfter(other, {}, 'a1')).toHaveLength(1)
  })

  it('is flagged by what was seen until then', () => {
    const watch = createFlagWatch('claude-code')
    const saw = (messages: readonly Message[]) => {
      for (const each of messages) watch.saw(each, 0)
    }
    saw(run('npm test', BAD, false))
    expect(watch.flagsOf('main', FUNCTIONAL)).toHaveLength(1)
    saw(run('npm test', GOOD))
    expect(watch.flagsOf('main', FUNCTIONAL)).toEqual([])
  })

  it('is flagged for a check of its own that failed', () => {
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

  it.each(['partial', 'scaffolding', 'fail'] as const)('is the only one: %s is believed', (shipped) => {
    const all = [...run('npm test', BAD, false), ...wrote('a.rs', 'todo!()')]
    expect(flagsAfter(all, { shipped, checks: [{ name: 'x', result: 'FAIL' }] })).toEqual([])
  })

  it('is not flagged for what was taken back or summed up', () => {
    const rewound = run('npm test', BAD, false).map((each) => ({ ...each, state: 'rewound' as const }))
    expect(flagsAfter(rewound)).toEqual([])
  })
})

describe('a marker that says functional with no stubs', () => {
  it('is flagged for a stub that its agent wrote, with the line', () => {
    const flags = flagsAfter(wrote('/w/src/a.rs', 'fn a() {}\nfn b() { todo!() }\n'))
    expect(flags).toMatchObject([
      {
        kind: 'stubs',
        says: 'Says functional with 0 stubs, and left one in /w/src/a.rs:2.',
        evidence: { n: 0, tool_use_id: `c${made}`, quote: 'fn b() { todo!() }' },
      },
    ])
  })

  it.each([
    ['Write', { file_path: 'a.rs', content: 'todo!()' }],
    ['write', { filePath: 'a.rs', content: 'todo!()' }],
    ['write_file', { path: 'a.rs', content: 'todo!()' }],
    ['Edit', { file_path: 'a.rs', old_string: 'x', new_string: 'todo!()' }],
    ['edit', { filePath: 'a.rs', oldString: 'x', newString: 'todo!()' }],
    ['MultiEdit', { file_path: 'a.rs', edits: [{ old_string: 'x', new_string: 'todo!()' }] }],
    ['patch', { path: 'a.rs', old_string: 'x', new_string: 'todo!()' }],
    [
      'patch',
      { mode: 'patch', patch: '*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+todo!()\n*** End Patch' },
    ],
    ['apply_patch', '*** Begin Patch\n*** Add File: a.rs\n+fn a() {\n+todo!()\n+}\n*** End Patch'],
    ['apply_patch', { input: '*** Begin Patch\n*** Update File: a.rs\n@@\n x\n+todo!()\n*** End Patch' }],
    ['apply_patch', { patchText: '--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-x\n+todo!()\n' }],
  ])('is flagged for what %s wrote: %j', (tool, input) => {
    expect(flagsAfter(does(tool, input)).map(({ evidence }) => evidence.quote)).toEqual(['todo!()'])
  })

  it('is not flagged once the stub was replaced, by whichever edit', () => {
    const stub = wrote('/w/a.rs', 'fn a() {\n  todo!()\n}\n')
    expect(flagsAfter([...stub, ...edited('/w/a.rs', 'todo!()', '42')])).toEqual([])
    expect(flagsAfter([...stub, ...edited('/w/a.rs', 'fn a() {\n  todo!()\n}', 'fn a() { 42 }')])).toEqual([])
    expect(flagsAfter([...stub, ...wrote('/w/a.rs', 'fn a() { 42 }')])).toEqual([])
    const patch = '*** Begin Patch\n*** Update File: a.rs\n@@\n fn a() {\n-  todo!()\n+  42\n*** End Patch'
    expect(flagsAfter([...stub, ...does('apply_patch', { input: patch })])).toEqual([])
    const gone = '*** Begin Patch\n*** Delete File: a.rs\n*** End Patch'
    expect(flagsAfter([...stub, ...does('apply_patch', { input: gone })])).toEqual([])
    const renamed = edited('/w/a.rs', 'fn a() {\n  todo!()', 'fn b() {\n  todo!()')
    expect(flagsAfter([...stub, ...renamed])).toHaveLength(1)
    expect(flagsAfter([...stub, ...renamed, ...edited('/w/a.rs', '  todo!()\n}', '  42\n}')])).toEqual([])
  })

  it('is not flagged where a command may have rewritten the file', () => {
    const stub = wrote('/w/a.rs', 'todo!()')
    expect(flagsAfter([...stub, ...run("sed -i 's/todo!()/42/' a.rs", '')])).toEqual([])
    expect(flagsAfter([...stub, ...run('git checkout -- .', '')])).toEqual([])
    expect(flagsAfter([...stub, ...run('cat a.rs', 'todo!()')])).toHaveLength(1)
    expect(flagsAfter([...stub, ...run("sed -i 's/x/y/' b.rs", '')])).toHaveLength(1)
  })

  it('is not flagged for stubs that were there before', () => {
    expect(flagsAfter(edited('a.rs', 'fn a() {\n  todo!()\n}', 'fn b() {\n  todo!()\n}'))).toEqual([])
  })

  it('is not flagged for stubs that were there when the file is written as a whole', () => {
    const body = 'export function a() {\n  // TODO: handle the other case\n  return 1\n}\n'
    const shown = body
      .split('\n')
      .map((line, at) => `${at + 1}\t${line}`)
      .join('\n')
    const anew = wrote('/p/a.ts', body.replace('return 1', 'return 2'))
    const read = [calls('r', 'Read', { file_path: '/p/a.ts' }), answers('r', shown)]
    expect(flagsAfter([...read, ...anew])).toEqual([])
    const held = JSON.stringify({ content: shown.replaceAll('\t', '|'), total_lines: 5 })
    expect(flagsAfter([calls('r', 'read_file', { path: 'p/a.ts' }), answers('r', held), ...anew])).toEqual([])
    expect(flagsAfter([...run('cat p/a.ts', body), ...anew])).toEqual([])
    expect(
      flagsAfter([...run('grep -rn TODO .', './p/a.ts:2:  // TODO: handle the other case'), ...anew]),
    ).toEqual([])
    expect(flagsAfter(anew)).toHaveLength(1)
    const over = [
      calls('w', 'Write', { file_path: '/p/a.ts', content: body }),
      answers('w', 'The file /p/a.ts has been updated.'),
    ]
    expect(flagsAfter(over)).toEqual([])
  })

  it('is flagged for more stubs than were there when the file is written as a whole', () => {
    const read = [calls('r', 'Read', { file_path: 'a.rs' }), answers('r', '1\ttodo!()')]
    expect(flagsAfter([...read, ...wrote('a.rs', 'todo!()\ntodo!()')])).toHaveLength(1)
    expect(flagsAfter([...read, ...wrote('b.rs', 'todo!()')])).toHaveLength(1)
    const other = [...read, ...wrote('a.rs', 'todo!()\n// TODO: count the rows')]
    expect(flagsAfter(other)).toHaveLength(1)
  })

  it('is flagged for its own stub though it read it before it wrote the file again', () => {
    const text = '// TODO: count the rows\n'
    const read = [calls('r', 'Read', { file_path: 'a.ts' }), answers('r', `1\t${text}`)]
    expect(flagsAfter([...wrote('a.ts', text), ...read, ...wrote('a.ts', `${text}x()\n`)])).toHaveLength(1)
  })

  it('is not flagged for stubs that moved from another file, whichever was edited first', () => {
    const text = '  // TODO: handle the other case\n  x()'
    const out = edited('a.ts', text, '')
    const into = edited('b.ts', 'q', text)
    expect(flagsAfter([...out, ...into])).toEqual([])
    expect(flagsAfter([...into, ...out])).toEqual([])
    expect(flagsAfter([...out, ...into, ...edited('c.ts', 'q', text)])).toHaveLength(1)
    const done = edited('a.rs', '  todo!()', '  42')
    expect(flagsAfter([...done, ...edited('b.rs', 'x', 'todo!()')])).toHaveLength(1)
    expect(flagsAfter([...edited('b.rs', 'x', 'todo!()'), ...done])).toHaveLength(1)
    const shown = [calls('r', 'Read', { file_path: 'b.rs' }), answers('r', '1\ttodo!()')]
    expect(flagsAfter([...wrote('a.rs', 'todo!()'), ...shown, ...wrote('b.rs', 'todo!()')])).toHaveLength(1)
    const words = edited('a.ts', '// TODO: 处理其他情况\nx()', '')
    expect(flagsAfter([...words, ...edited('b.ts', 'q', '// TODO: 处理其他情况')])).toEqual([])
  })

  it('is flagged for a stub beside one that was there before', () => {
    expect(flagsAfter(edited('a.rs', '  todo!()\n', '  todo!()\n  todo!()\n'))).toHaveLength(1)
  })

  it('is not flagged for an edit that failed or has no result', () => {
    expect(flagsAfter(does('Write', { file_path: 'a.rs', content: 'todo!()' }, false))).toEqual([])
    expect(flagsAfter([calls('x', 'Write', { file_path: 'a.rs', content: 'todo!()' })])).toEqual([])
  })

  it('is not flagged for what was read, said or written into papers and tests', () => {
    expect(flagsAfter([calls('x', 'Read', { file_path: 'a.rs' }), answers('x', 'todo!()')])).toEqual([])
    expect(flagsAfter([message('assistant', [{ type: 'text', text: 'a todo!() was there' }])])).toEqual([])
    expect(flagsAfter(wrote('NOTES.md', 'TODO: x\ntodo!()'))).toEqual([])
    expect(flagsAfter(wrote('src/a.test.ts', "it.todo('x')\n// TODO: more"))).toEqual([])
  })

  it('is flagged only for more stubs than it owns up to', () => {
    const two = wrote('a.rs', 'todo!()\ntodo!()')
    expect(flagsAfter(two, { stubs: 2 })).toEqual([])
    expect(flagsAfter(two, { stubs: 1 })).toHaveLength(2)
  })

  it('names a few of many, and how many more', () => {
    const flags = flagsAfter(wrote('a.rs', 'todo!()\n'.repeat(12)))
    expect(flags).toHaveLength(5)
    expect(flags.at(-1)?.says).toBe('Says functional with 0 stubs, and left one in a.rs:5, and 7 more.')
  })

  it('keeps no secret in its evidence', () => {
    const flags = flagsAfter(wrote('a.ts', "// TODO: use token='ghp_012345678901234567890123456789abcdef'"))
    expect(JSON.stringify(flags)).not.toContain('ghp_0123')
  })
})

describe('the watch', () => {
  it('takes any message', () => {
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

  it('stays bounded and quick over many calls and long results', { timeout: 60_000 }, async () => {
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
    expect(watch.flagsOf('main', FUNCTIONAL).some(({ kind }) => kind === 'failing_tests')).toBe(true)
    expect(time).toBeLessThan(8_000)
  })
})

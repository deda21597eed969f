import type { Message, StatusMarker } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answers, calls, message } from '../ran/messages.test-kit.ts'
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

  it('stays bounded and quick over many calls and long results', () => {
    const start = performance.now()
    const watch = createFlagWatch('claude-code')
    for (let n = 0; n < 3_000; n++) {
      watch.saw(calls(`c${n}`, 'Write', { file_path: `src/${n}.rs`, content: 'todo!()\n'.repeat(50) }), n)
      watch.saw(answers(`c${n}`, 'ok'), n)
      watch.saw(calls('r', 'Bash', { command: `cat src/${n}.rs > x` }), n)
      watch.saw(answers('r', 'ok'), n)
    }
    watch.saw(calls('t', 'Bash', { command: 'npm test' }), 1)
    watch.saw(answers('t', 'x'.repeat(10_000_000), true), 2)
    watch.saw(calls('t', 'Bash', { command: 'npm test' }), 1)
    watch.saw(answers('t', `${'1 passed\n'.repeat(1_000_000)}${BAD}`, true), 2)
    expect(watch.flagsOf('main', FUNCTIONAL).some(({ kind }) => kind === 'failing_tests')).toBe(true)
    expect(performance.now() - start).toBeLessThan(6_000)
  })
})

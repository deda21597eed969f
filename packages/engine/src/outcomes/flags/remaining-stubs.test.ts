import { describe, expect, it } from 'vitest'
import { answers, calls, message } from '../tool-calls/messages.test-kit.ts'
import { does, edited, flagsAfter, lastCall, run, wrote } from './watch.test-kit.ts'

describe('functional marker without stubs', () => {
  it('is flagged for a stub its agent wrote, with the line', () => {
    const flags = flagsAfter(wrote('/w/src/a.rs', 'fn a() {}\nfn b() { todo!() }\n'))
    expect(flags).toMatchObject([
      {
        kind: 'stubs',
        says: 'Reports functional with 0 stubs, but left one in /w/src/a.rs:2.',
        evidence: { n: 0, tool_use_id: lastCall(), quote: 'fn b() { todo!() }' },
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

  it('is not flagged after the stub was replaced by any edit', () => {
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

  it('is not flagged if a command may have rewritten the file', () => {
    const stub = wrote('/w/a.rs', 'todo!()')
    expect(flagsAfter([...stub, ...run("sed -i 's/todo!()/42/' a.rs", '')])).toEqual([])
    expect(flagsAfter([...stub, ...run('git checkout -- .', '')])).toEqual([])
    expect(flagsAfter([...stub, ...run('cat a.rs', 'todo!()')])).toHaveLength(1)
    expect(flagsAfter([...stub, ...run("sed -i 's/x/y/' b.rs", '')])).toHaveLength(1)
  })

  it('is not flagged for earlier stubs', () => {
    expect(flagsAfter(edited('a.rs', 'fn a() {\n  todo!()\n}', 'fn b() {\n  todo!()\n}'))).toEqual([])
  })

  it('is not flagged for earlier stubs in a file that is rewritten as a whole', () => {
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

  it('is flagged for additional stubs in a file that is rewritten as a whole', () => {
    const read = [calls('r', 'Read', { file_path: 'a.rs' }), answers('r', '1\ttodo!()')]
    expect(flagsAfter([...read, ...wrote('a.rs', 'todo!()\ntodo!()')])).toHaveLength(1)
    expect(flagsAfter([...read, ...wrote('b.rs', 'todo!()')])).toHaveLength(1)
    const other = [...read, ...wrote('a.rs', 'todo!()\n// TODO: count the rows')]
    expect(flagsAfter(other)).toHaveLength(1)
  })

  it('is flagged for its own stub although it read it before rewriting the file', () => {
    const text = '// TODO: count the rows\n'
    const read = [calls('r', 'Read', { file_path: 'a.ts' }), answers('r', `1\t${text}`)]
    expect(flagsAfter([...wrote('a.ts', text), ...read, ...wrote('a.ts', `${text}x()\n`)])).toHaveLength(1)
  })

  it('is not flagged for stubs moved from another file, whichever was edited first', () => {
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

  it('is flagged for a new stub next to an earlier one', () => {
    expect(flagsAfter(edited('a.rs', '  todo!()\n', '  todo!()\n  todo!()\n'))).toHaveLength(1)
  })

  it('is not flagged for an edit that failed or has no result', () => {
    expect(flagsAfter(does('Write', { file_path: 'a.rs', content: 'todo!()' }, false))).toEqual([])
    expect(flagsAfter([calls('x', 'Write', { file_path: 'a.rs', content: 'todo!()' })])).toEqual([])
  })

  it('is not flagged for stubs in files that were read, in messages, or in documents and tests', () => {
    expect(flagsAfter([calls('x', 'Read', { file_path: 'a.rs' }), answers('x', 'todo!()')])).toEqual([])
    expect(flagsAfter([message('assistant', [{ type: 'text', text: 'a todo!() was there' }])])).toEqual([])
    expect(flagsAfter(wrote('NOTES.md', 'TODO: x\ntodo!()'))).toEqual([])
    expect(flagsAfter(wrote('src/a.test.ts', "it.todo('x')\n// TODO: more"))).toEqual([])
  })

  it('is flagged only for more stubs than it admits', () => {
    const two = wrote('a.rs', 'todo!()\ntodo!()')
    expect(flagsAfter(two, { stubs: 2 })).toEqual([])
    expect(flagsAfter(two, { stubs: 1 })).toHaveLength(2)
  })

  it('names a few of many stubs and how many more there are', () => {
    const flags = flagsAfter(wrote('a.rs', 'todo!()\n'.repeat(12)))
    expect(flags).toHaveLength(5)
    expect(flags.at(-1)?.says).toBe('Reports functional with 0 stubs, but left one in a.rs:5, and 7 more.')
  })

  it('keeps no secret in its evidence', () => {
    const flags = flagsAfter(wrote('a.ts', "// TODO: use token='ghp_012345678901234567890123456789abcdef'"))
    expect(JSON.stringify(flags)).not.toContain('ghp_0123')
  })
})

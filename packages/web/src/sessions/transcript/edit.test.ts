import { describe, expect, it } from 'vitest'
import { diffLines, findEdit } from './edit.ts'

const drawn = (lines: ReturnType<typeof diffLines>) =>
  lines.map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`)

describe('a diff', () => {
  it('lists removed and added lines', () => {
    expect(drawn(diffLines('a\nb\nc\nd', 'a\nx\nc\ny\nd'))).toEqual([' a', '-b', '+x', ' c', '+y', ' d'])
    expect(drawn(diffLines('', 'new'))).toEqual(['+new'])
    expect(drawn(diffLines('same', 'same'))).toEqual([' same'])
    expect(drawn(diffLines('', 'one\n\ntwo\n'))).toEqual(['+one', '+', '+two'])
  })

  it('stays fast when every line changed', () => {
    const text = (mark: string) => Array.from({ length: 5_000 }, (_, i) => `${mark}${i}`).join('\n')
    const lines = diffLines(text('a'), text('b'))
    expect(lines.length).toBe(10_000)
    expect(lines[0]).toEqual({ kind: 'removed', text: 'a0' })
  })
})

describe('the edit of a call', () => {
  it('is recognized in the input formats of several clients', () => {
    expect(findEdit({ file_path: 'a.ts', old_string: 'x', new_string: 'y' })).toEqual({
      file: 'a.ts',
      lines: [
        { kind: 'removed', text: 'x' },
        { kind: 'added', text: 'y' },
      ],
    })
    const two = {
      path: 'a',
      edits: [
        { old_string: '', new_string: 'p' },
        { old_string: 'q', new_string: '' },
      ],
    }
    expect(drawn(findEdit(two)?.lines ?? [])).toEqual(['+p', '-q'])
    expect(drawn(findEdit({ file_path: 'a', content: 'one\ntwo' })?.lines ?? [])).toEqual(['+one', '+two'])
    const numbers = (lines: ReturnType<typeof diffLines> = []) =>
      lines.map(({ before, after }) => [before, after])
    expect(numbers(findEdit({ file_path: 'a', content: 'one\ntwo' })?.lines)).toEqual([
      [undefined, 1],
      [undefined, 2],
    ])
    expect(numbers(findEdit({ patch: '@@ -41,2 +41,2 @@\n same\n-x\n+y' })?.lines)).toEqual([
      [undefined, undefined],
      [41, 41],
      [42, undefined],
      [undefined, 42],
    ])
    expect(drawn(findEdit({ patch: '--- a\n+++ b\n-x\n+y' })?.lines ?? [])).toEqual([
      ' --- a',
      ' +++ b',
      '-x',
      '+y',
    ])
  })

  it('is recognized in a patch that names its files, in any input field', () => {
    const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch'
    for (const input of [
      patch,
      { command: ['apply_patch', patch] },
      { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` },
    ]) {
      const edit = findEdit(input)
      expect(edit?.file).toBe('src/a.ts')
      expect(drawn(edit?.lines ?? [])).toEqual([' *** Update File: src/a.ts', ' @@', '-x', '+y'])
    }
    expect(drawn(findEdit({ filePath: 'a', oldString: 'x', newString: 'y' })?.lines ?? [])).toEqual([
      '-x',
      '+y',
    ])
  })

  it('is null without a known edit format', () => {
    for (const input of [null, 'text', {}, { command: 'ls' }, { content: 'x' }, { edits: [null, 3] }])
      expect(findEdit(input)).toBeNull()
  })
})

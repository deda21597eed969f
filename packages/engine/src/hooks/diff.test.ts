import { describe, expect, it } from 'vitest'
import { unifiedDiff } from './diff.ts'

describe('a diff', () => {
  it('says nothing where nothing changes', () => {
    expect(unifiedDiff('a\n', 'a\n', 'f')).toBe('')
  })

  it('shows what changes with three lines around it', () => {
    const before = '1\n2\n3\n4\n5\n6\n7\n8\n9\n'
    const after = '1\n2\n3\n4\nfive\n6\n7\n8\n9\n'
    expect(unifiedDiff(before, after, 'f').split('\n')).toEqual([
      '--- f',
      '+++ f',
      '@@ -2,7 +2,7 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
    ])
  })

  it('tells a new file, a removed one, and a last line without an end', () => {
    expect(unifiedDiff(null, 'a\n', 'f')).toBe('--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a')
    expect(unifiedDiff('a\n', null, 'f')).toBe('--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a')
    expect(unifiedDiff('a', 'a\n', 'f')).toContain('-a\n\\ No newline at end of file\n+a')
  })

  it('splits changes that are far apart', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)
    const after = lines.with(2, 'x').with(35, 'y')
    expect(unifiedDiff(`${lines.join('\n')}\n`, `${after.join('\n')}\n`, 'f').match(/^@@/gm)).toHaveLength(2)
  })
})

import { applyPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unifiedDiff } from './plan.ts'

describe('unifiedDiff', () => {
  it('is empty for equal texts', () => {
    expect(unifiedDiff('a\n', 'a\n', 'f')).toBe('')
  })

  it('shows changes with three lines of context', () => {
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

  it('marks new files, removed files and a missing final newline', () => {
    expect(unifiedDiff(null, 'a\n', 'f')).toBe('--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a')
    expect(unifiedDiff('a\n', null, 'f')).toBe('--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a')
    expect(unifiedDiff('a', 'a\n', 'f')).toContain('-a\n\\ No newline at end of file\n+a')
  })

  it('splits distant changes into hunks', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)
    const after = lines.with(2, 'x').with(35, 'y')
    expect(unifiedDiff(`${lines.join('\n')}\n`, `${after.join('\n')}\n`, 'f').match(/^@@/gm)).toHaveLength(2)
  })

  it('turns the one text into the other when it is applied', () => {
    const text = fc
      .array(fc.constantFrom('a\n', 'b\n', '\n', '-', '+ c\n', '漢'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after)
        expect(applyPatch(before, unifiedDiff(before, after, 'f'))).toBe(after)
      }),
    )
  })

  it('shows a text as replaced when too many of its lines changed', () => {
    const before = Array.from({ length: 3_000 }, (_, index) => `before ${index}\n`).join('')
    const after = Array.from({ length: 2_000 }, (_, index) => `after ${index}\n`).join('')
    const diff = unifiedDiff(before, after, 'f')
    expect(diff.match(/^@@.*/gm)).toEqual(['@@ -1,3000 +1,2000 @@'])
    expect(applyPatch(before, diff)).toBe(after)
  })
})

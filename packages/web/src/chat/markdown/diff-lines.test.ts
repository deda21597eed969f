import { expect, it } from 'vitest'
import { isDiff, lineKind } from './code-block.tsx'

it('recognizes a diff by its language or by its first lines', () => {
  expect([isDiff('diff', []), isDiff('PATCH', []), isDiff('ts', ['a'])]).toEqual([true, true, false])
  expect(isDiff('', ['--- a', '+++ b', '@@ -1,2 +3 @@'])).toBe(true)
  expect(isDiff('', ['diff --git a/x b/x'])).toBe(true)
  expect(isDiff('', ['see', 'diff --git a/x b/x'])).toBe(false)
})

it('classifies diff lines as header, added, removed or unchanged', () => {
  const lines = ['@@ -1 +1 @@', '--- a/x', '+++ b/x', 'index 1..2', '+new', '-old', ' same', '']
  expect(lines.map(lineKind)).toEqual([
    ...['about', 'about', 'about', 'about'],
    ...['added', 'removed', 'same', 'same'],
  ])
})

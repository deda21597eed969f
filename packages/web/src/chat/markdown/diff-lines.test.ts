import { expect, it } from 'vitest'
import { isDiff, lookOf } from './diff-lines.ts'

it('knows changes by their name, or by what they say themselves', () => {
  expect([isDiff('diff', []), isDiff('PATCH', []), isDiff('ts', ['a'])]).toEqual([true, true, false])
  expect(isDiff('', ['--- a', '+++ b', '@@ -1,2 +3 @@'])).toBe(true)
  expect(isDiff('', ['diff --git a/x b/x'])).toBe(true)
  expect(isDiff('', ['see', 'diff --git a/x b/x'])).toBe(false)
})

it('tells the lines about a change from those that are added, removed or the same', () => {
  const lines = ['@@ -1 +1 @@', '--- a/x', '+++ b/x', 'index 1..2', '+new', '-old', ' same', '']
  expect(lines.map(lookOf)).toEqual([
    ...['about', 'about', 'about', 'about'],
    ...['added', 'removed', 'same', 'same'],
  ])
})

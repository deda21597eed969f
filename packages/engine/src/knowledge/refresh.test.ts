import { expect, it } from 'vitest'
import { findDeleted } from './refresh.ts'

const indexed = new Map(['a.md', 'in/b.md', 'in/deep/c.md', 'inner.md'].map((path) => [path, {}]))
const unread = (path: string, code: string) => findDeleted({ files: [], unread: [{ path, code }] }, indexed)

it('keeps files that could not be checked', () => {
  expect(unread('in', 'EACCES')).toEqual(['a.md', 'inner.md'])
  expect(unread('in', 'ENOENT')).toEqual([...indexed.keys()])
  expect(unread('', 'EIO')).toEqual([])
  expect(unread('', 'ENOENT')).toEqual([...indexed.keys()])
})

it('drops files that are no longer listed', () => {
  const files = [{ path: 'a.md', size: 1, mark: '', isFresh: false }]
  expect(findDeleted({ files, unread: [] }, indexed)).toEqual(['in/b.md', 'in/deep/c.md', 'inner.md'])
})

import { expect, it } from 'vitest'
import { goneFrom } from './refresh.ts'

const known = new Map(['a.md', 'in/b.md', 'in/deep/c.md', 'inner.md'].map((path) => [path, {}]))
const unread = (path: string, code: string) => goneFrom({ files: [], unread: [{ path, code }] }, known)

it('takes nothing for gone that could not be looked at', () => {
  expect(unread('in', 'EACCES')).toEqual(['a.md', 'inner.md'])
  expect(unread('in', 'ENOENT')).toEqual([...known.keys()])
  expect(unread('', 'EIO')).toEqual([])
  expect(unread('', 'ENOENT')).toEqual([...known.keys()])
})

it('takes for gone what is listed no more', () => {
  const files = [{ path: 'a.md', size: 1, mark: '', isFresh: false }]
  expect(goneFrom({ files, unread: [] }, known)).toEqual(['in/b.md', 'in/deep/c.md', 'inner.md'])
})

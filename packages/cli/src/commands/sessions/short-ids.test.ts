import { expect, it } from 'vitest'
import { shortIds } from './format.ts'

it('shortens ids to unique prefixes of at least eight characters', () => {
  const ids = ['019a8f00-0001-7a', '019a8f00-0002-7b', '019a8f01-0001', 'b', 'bcdefghijkl', 'other-of-them']
  const short = shortIds([...ids, 'other-of-them'].reverse())
  expect(ids.map(short)).toEqual(['019a8f00-0001', '019a8f00-0002', '019a8f01', 'b', 'bcdefghi', 'other-of'])
})

import { expect, it } from 'vitest'
import { DENIED_ON_PAGE, isDenied } from './results.ts'

it('tells a call that a person denied on the page from one that failed', () => {
  expect(isDenied(DENIED_ON_PAGE)).toBe(true)
  expect(isDenied('Exit code 1\ncat: nothing: No such file or directory')).toBe(false)
})

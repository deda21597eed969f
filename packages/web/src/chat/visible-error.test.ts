import { expect, it } from 'vitest'
import { RequestFailure } from '../api/request.ts'
import { findVisibleError } from './visible-error.ts'

it('hides the unreachable error in place while the page shows it as disconnected', () => {
  const silence = new RequestFailure(0, 'Panoptes is not responding.', null)
  const refused = new RequestFailure(500, 'The store is full.', null)
  expect(findVisibleError(silence, true)).toBe(null)
  expect(findVisibleError(silence, false)).toBe(silence)
  expect(findVisibleError(refused, true)).toBe(refused)
  expect(findVisibleError(null, true)).toBe(null)
})

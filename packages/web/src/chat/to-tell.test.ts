import { expect, it } from 'vitest'
import { RequestFailure } from '../api/request.ts'
import { toTell } from './to-tell.ts'

it('tells of silence once: not beside every part while the page has no connection', () => {
  const silence = new RequestFailure(0, 'Panoptes does not answer.', null)
  const refused = new RequestFailure(500, 'The ledger is full.', null)
  expect(toTell(silence, true)).toBe(null)
  expect(toTell(silence, false)).toBe(silence)
  expect(toTell(refused, true)).toBe(refused)
  expect(toTell(null, true)).toBe(null)
})

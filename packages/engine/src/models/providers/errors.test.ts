import { describe, expect, it } from 'vitest'
import { modelError } from './errors.ts'

const gathered = { text: '', usage: null } as Parameters<typeof modelError>[2]
const signals = { aborted: () => false, timedOut: () => false }
const said = (after: string) =>
  modelError(
    { status: 429, message: 'slow down', headers: new Headers({ 'retry-after': after }) },
    signals,
    gathered,
  ).message

describe('model error', () => {
  it('states when to ask again, unless that is at once', () => {
    expect(said('1.5')).toBe('slow down Retry in 2 s.')
    expect(said('0')).toBe('slow down')
    expect(said('soon')).toBe('slow down')
  })
})

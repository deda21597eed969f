import { describe, expect, it } from 'vitest'
import { isPlainObject, toFields } from './plain-object.ts'

describe('isPlainObject', () => {
  it.each([[{}], [{ a: 1 }], [Object.create(null)]])('accepts the object %j', (value) => {
    expect(isPlainObject(value)).toBe(true)
  })

  it.each([[null], [undefined], [[]], [['a']], ['text'], [1], [true], [() => ({})]])(
    'rejects %s',
    (value) => {
      expect(isPlainObject(value)).toBe(false)
    },
  )
})

describe('toFields', () => {
  it('returns the same object', () => {
    const value = { a: 1 }
    expect(toFields(value)).toBe(value)
  })

  it.each([[null], [undefined], [['a']], ['text'], [1]])('returns an empty object for %j', (value) => {
    expect(toFields(value)).toEqual({})
  })
})

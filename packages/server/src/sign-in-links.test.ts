import { describe, expect, it } from 'vitest'
import { createSignInLinks } from './sign-in.ts'

describe('createLinks', () => {
  it('makes links that work once, within ten minutes', () => {
    let clock = 0
    const links = createSignInLinks(() => clock)
    const [first, second] = [links.make(), links.make()]
    clock = 600_000
    expect(links.redeem(first.code)).toBe(true)
    expect(links.redeem(first.code)).toBe(false)
    clock = 600_001
    expect(links.redeem(second.code)).toBe(false)
  })

  it('drops the oldest link when there are too many', () => {
    const links = createSignInLinks()
    const made = Array.from({ length: 40 }, () => links.make().code)
    expect(made.map((code) => links.redeem(code))).toEqual(made.map((_, index) => index >= 8))
  })
})

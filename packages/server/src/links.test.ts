import { describe, expect, it } from 'vitest'
import { createLinks } from './links.ts'

describe('links', () => {
  it('work once, and not after ten minutes', () => {
    let clock = 0
    const links = createLinks(() => clock)
    const [first, second] = [links.make(), links.make()]
    clock = 600_000
    expect(links.redeem(first.code)).toBe(true)
    expect(links.redeem(first.code)).toBe(false)
    clock = 600_001
    expect(links.redeem(second.code)).toBe(false)
  })

  it('are bounded in number: the oldest dies', () => {
    const links = createLinks()
    const made = Array.from({ length: 40 }, () => links.make().code)
    expect(made.map((code) => links.redeem(code))).toEqual(made.map((_, index) => index >= 8))
  })
})

import { expect, it } from 'vitest'
import { quoteAt, shownQuote } from './quote.ts'

it('quotes no part of a secret that stands at the edge of the text around', () => {
  const key = `ghp_${'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'}`
  for (let between = 240; between <= 320; between++) {
    const text = `first ${key} ${'words '.repeat(60).slice(-between)}took 3.2 s with token=a1b2c3d4e5f6`
    const quote = shownQuote(quoteAt(text, text.indexOf('3.2')))
    expect(quote).not.toMatch(/[A-Z][0-9a-z]/)
    expect(quote).not.toBe('')
  }
})

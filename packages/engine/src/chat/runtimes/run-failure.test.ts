import { describe, expect, it } from 'vitest'
import { toLabel, toSafeDetail } from './plain-text.ts'
import { classifyText, createFailure, toSafeText } from './run-failure.ts'

const KEY = `sk-ant-api03-${'a1B2'.repeat(22)}`

describe('text from external programs', () => {
  it('is shortened and cleaned of secrets and terminal sequences', () => {
    const { message } = createFailure(
      'provider_error',
      `\u001b[31mrefused ${KEY}\u001b[0m ${'x'.repeat(9_000)}`,
    )
    expect(message).toMatch(/^refused (?!sk-).*…$/s)
    expect(message).not.toContain(KEY)
    expect(message.length).toBe(500)
  })
  it('does not contain a known key, whatever it looks like', () => {
    expect(toSafeText('the key plain-and-simple is wrong', 'plain-and-simple')).toBe(
      'the key [redacted] is wrong',
    )
  })
  it('is classified by its words if there is no error code', () => {
    expect(classifyText('API Error: 401 invalid x-api-key')).toBe('unauthorized')
    expect(classifyText('Please run /login')).toBe('unauthorized')
    expect(classifyText('429 Too many requests')).toBe('rate_limited')
    expect(classifyText('prompt is too long: 210000 tokens')).toBe('too_long')
    expect(classifyText('Request timed out')).toBe('timed_out')
    expect(classifyText('it is 4290 miles away')).toBe('provider_error')
    expect(classifyText('', 'died')).toBe('died')
  })
  it('allows a retry if the error may be temporary', () => {
    expect(createFailure('rate_limited', '').retryable).toBe(true)
    expect(createFailure('unauthorized', '').retryable).toBe(false)
    expect(createFailure('refused', '', true).retryable).toBe(true)
  })
})

describe('details of progress', () => {
  it('are bounded, however large and deep', () => {
    let deep: unknown = 'bottom'
    for (let at = 0; at < 100; at += 1) deep = { deep }
    const detail = toSafeDetail({
      deep,
      long: 'a'.repeat(100_000),
      many: Array.from({ length: 1_000 }, (_, at) => at),
      key: KEY,
    }) as { long: string; many: readonly number[] }
    expect(JSON.stringify(detail).length).toBeLessThan(10_000)
    expect(detail.long).toMatch(/a… \(96000 more characters\)$/)
    expect(detail.many).toHaveLength(50)
    expect(JSON.stringify(detail)).not.toContain(KEY)
  })
  it('hold no part of a secret wherever they are cut', () => {
    for (let before = 3_900; before <= 4_000; before += 1)
      expect(toSafeDetail(`${'x'.repeat(before)} ${KEY} tail`)).not.toContain(KEY.slice(0, 8))
    for (let before = 700; before <= 800; before += 1)
      expect(toLabel(`${' '.repeat(before)} ${KEY} tail`, 'none')).not.toContain(KEY.slice(0, 8))
    for (let before = 100; before <= 200; before += 1)
      expect(Object.keys(toSafeDetail({ [`${'x'.repeat(before)} ${KEY}`]: 1 }) as object)[0]).not.toContain(
        KEY.slice(0, 8),
      )
  })
  it('have a one-line label or a fallback', () => {
    const label = toLabel('one\ntwo\u001b[0m', 'none')
    for (const raw of ['\n', '\u001b', '[0m']) expect(label).not.toContain(raw)
    expect(toLabel('', 'none')).toBe('none')
    expect(toLabel('a'.repeat(9_000), 'none').length).toBeLessThanOrEqual(200)
  })
})

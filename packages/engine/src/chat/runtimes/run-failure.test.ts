import { describe, expect, it } from 'vitest'
import { codeInWords, failedWith, safeWords } from './run-failure.ts'
import { boundedDetail, toLabel } from './truncate.ts'

const KEY = `sk-ant-api03-${'a1B2'.repeat(22)}`

describe('text from external programs', () => {
  it('is shortened and cleaned of secrets and terminal sequences', () => {
    const { message } = failedWith('provider_error', `\u001b[31mrefused ${KEY}\u001b[0m ${'x'.repeat(9_000)}`)
    expect(message).toMatch(/^refused (?!sk-).*…$/s)
    expect(message).not.toContain(KEY)
    expect(message.length).toBe(500)
  })
  it('does not contain a known key, whatever it looks like', () => {
    expect(safeWords('the key plain-and-simple is wrong', 'plain-and-simple')).toBe(
      'the key [redacted] is wrong',
    )
  })
  it('is classified by its words if there is no error code', () => {
    expect(codeInWords('API Error: 401 invalid x-api-key')).toBe('unauthorized')
    expect(codeInWords('Please run /login')).toBe('unauthorized')
    expect(codeInWords('429 Too many requests')).toBe('rate_limited')
    expect(codeInWords('prompt is too long: 210000 tokens')).toBe('too_long')
    expect(codeInWords('Request timed out')).toBe('timed_out')
    expect(codeInWords('it is 4290 miles away')).toBe('provider_error')
    expect(codeInWords('', 'died')).toBe('died')
  })
  it('allows a retry if the error may be temporary', () => {
    expect(failedWith('rate_limited', '').retryable).toBe(true)
    expect(failedWith('unauthorized', '').retryable).toBe(false)
    expect(failedWith('refused', '', true).retryable).toBe(true)
  })
})

describe('details of progress', () => {
  it('are bounded, however large and deep', () => {
    let deep: unknown = 'bottom'
    for (let at = 0; at < 100; at += 1) deep = { deep }
    const detail = boundedDetail({
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
  it('have a one-line label or a fallback', () => {
    const label = toLabel('one\ntwo\u001b[0m', 'none')
    for (const raw of ['\n', '\u001b', '[0m']) expect(label).not.toContain(raw)
    expect(toLabel('', 'none')).toBe('none')
    expect(toLabel('a'.repeat(9_000), 'none').length).toBeLessThanOrEqual(200)
  })
})

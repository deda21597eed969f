import { describe, expect, it } from 'vitest'
import { boundedDetail, labelOf } from './bounded.ts'
import { codeInWords, failedWith, safeWords } from './failed.ts'

const KEY = `sk-ant-api03-${'a1B2'.repeat(22)}`

describe('words of others', () => {
  it('are short, without secrets and without a terminal’s bytes', () => {
    const { message } = failedWith('provider_error', `\u001b[31mrefused ${KEY}\u001b[0m ${'x'.repeat(9_000)}`)
    expect(message).toMatch(/^refused (?!sk-).*…$/s)
    expect(message).not.toContain(KEY)
    expect(message.length).toBe(500)
  })
  it('do not tell a key that is known, whatever it looks like', () => {
    expect(safeWords('the key plain-and-simple is wrong', 'plain-and-simple')).toBe(
      'the key [redacted] is wrong',
    )
  })
  it('say by themselves what is wrong, where nothing else does', () => {
    expect(codeInWords('API Error: 401 invalid x-api-key')).toBe('unauthorized')
    expect(codeInWords('Please run /login')).toBe('unauthorized')
    expect(codeInWords('429 Too many requests')).toBe('rate_limited')
    expect(codeInWords('prompt is too long: 210000 tokens')).toBe('too_long')
    expect(codeInWords('Request timed out')).toBe('timed_out')
    expect(codeInWords('it is 4290 miles away')).toBe('provider_error')
    expect(codeInWords('', 'died')).toBe('died')
  })
  it('are worth another try where what is wrong may pass', () => {
    expect(failedWith('rate_limited', '').retryable).toBe(true)
    expect(failedWith('unauthorized', '').retryable).toBe(false)
    expect(failedWith('refused', '', true).retryable).toBe(true)
  })
})

describe('details of progress', () => {
  it('are within bounds, however large and deep they are', () => {
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
  it('have one line for a label, or what stands for it', () => {
    const label = labelOf('one\ntwo\u001b[0m', 'none')
    for (const raw of ['\n', '\u001b', '[0m']) expect(label).not.toContain(raw)
    expect(labelOf('', 'none')).toBe('none')
    expect(labelOf('a'.repeat(9_000), 'none').length).toBeLessThanOrEqual(200)
  })
})

import { describe, expect, it } from 'vitest'
import { maskPersonalData } from './privacy.ts'

describe('maskPersonalData', () => {
  it.each([
    ['write to ada.l+x@mail.example.co.uk, soon', 'write to [email], soon'],
    ['call 415-555-2671 now', 'call [phone] now'],
    ['call (415) 555-2671.', 'call [phone].'],
    ['call 415.555.2671', 'call [phone]'],
    ['call +1 415 555 2671', 'call [phone]'],
    ['call +49 30 1234567', 'call [phone]'],
    ['call +44 (20) 7946 0958', 'call [phone]'],
  ])('removes an address or a number: %s', (text, expected) => {
    expect(maskPersonalData(text)).toBe(expected)
  })

  it.each([
    '14155552671',
    '1789000000123',
    '192.168.100.200:8080',
    '10.0.0.1',
    '2001:db8:85a3:0000:0000:8a2e:0370:7334',
    '2026-09-16',
    '2026-09-16 10:15:30',
    '16.09.2026',
    'v1.20.300',
    '4580967d0770a2c0864e9e8868f701605a8b90fe4e',
    '3f2b8c1a-1234-4567-8901-123456789012',
    'a + 100 - 200',
    'line 12, column 345',
    '@panoptes/engine',
    '1 + 22 + 333',
    '+12 -3',
  ])('keeps %s', (text) => {
    expect(maskPersonalData(`see ${text} there`)).toBe(`see ${text} there`)
  })

  it('removes secrets as well', () => {
    expect(maskPersonalData(`use sk-ant-api03-${'aB3dE5fG7h'.repeat(9)}`)).not.toContain('aB3dE5')
  })

  it.each(['a', '1', '1-', '+1 ', 'a@', 'a.', '(11) ', '123 '])(
    'takes time linear in the length of %j repeated',
    (piece) => {
      const once = (text: string) => {
        const began = performance.now()
        maskPersonalData(text)
        return performance.now() - began
      }
      // Takes the best of several runs, because the machine may be busy.
      const took = (size: number) => {
        const text = piece.repeat(size / piece.length)
        return Math.min(...Array.from({ length: 3 }, () => once(text)))
      }
      took(10_000)
      expect(took(400_000)).toBeLessThan(Math.max(100, took(50_000) * 8) * 4)
    },
  )
})

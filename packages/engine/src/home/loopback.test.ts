import { expect, it } from 'vitest'
import { isLoopback } from './loopback.ts'

it('recognises addresses that only this computer can reach', () => {
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1']) expect(isLoopback(host)).toBe(true)
  for (const host of [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    'localhost.evil.test',
    '127.evil.test',
    '127.0.0.999',
    '',
  ]) {
    expect(isLoopback(host)).toBe(false)
  }
})

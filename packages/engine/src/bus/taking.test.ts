import { expect, it } from 'vitest'
import { messagesAhead } from './taking.ts'

it('asks for no more messages than 64 MiB hold, nor for more than 256', () => {
  expect(messagesAhead(1_048_576)).toBe(64)
  expect(messagesAhead(8_388_608)).toBe(8)
  expect(messagesAhead(100_000_000)).toBe(1)
  expect(messagesAhead(4_096)).toBe(256)
})

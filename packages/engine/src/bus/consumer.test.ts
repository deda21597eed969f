import { expect, it } from 'vitest'
import { messagesAhead } from './writer.ts'

it('limits a bus consumer to 64 MiB of messages and to 256 messages', () => {
  expect(messagesAhead(1_048_576)).toBe(64)
  expect(messagesAhead(8_388_608)).toBe(8)
  expect(messagesAhead(100_000_000)).toBe(1)
  expect(messagesAhead(4_096)).toBe(256)
})

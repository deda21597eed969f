import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { readInput } from './input.ts'

const input = () => new PassThrough() as unknown as NodeJS.ReadStream & PassThrough

it('reads all that is piped in, however it is cut', async () => {
  const piped = input()
  const read = readInput(piped, { patienceMs: 60_000 })
  const text = '{"ü": "–"}'
  for (const byte of Buffer.from(text)) piped.write(Buffer.from([byte]))
  piped.end()
  expect(await read).toBe(text)
})

it('does not wait for an input that was left open, nor for a person', async () => {
  expect(await readInput(input(), { patienceMs: 1 })).toBe('')
  const terminal = Object.assign(input(), { isTTY: true as const })
  expect(await readInput(terminal, { patienceMs: 60_000 })).toBe('')
})

it('refuses more than a conversation can be', async () => {
  const piped = input()
  const read = readInput(piped)
  const part = Buffer.alloc(1_048_576, ' ')
  for (let n = 0; n < 17; n += 1) piped.write(part)
  await expect(read).rejects.toMatchObject({ code: 'usage', exit: 2 })
})

import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { readInput } from './inject.ts'

const input = () => new PassThrough() as unknown as NodeJS.ReadStream & PassThrough

it('reads all of stdin, however it is split', async () => {
  const piped = input()
  const read = readInput(piped, { timeoutMs: 60_000 })
  const text = '{"ü": "–"}'
  for (const byte of Buffer.from(text)) piped.write(Buffer.from([byte]))
  piped.end()
  expect(await read).toBe(text)
})

it('does not wait for a pipe that stays open, or for a terminal', async () => {
  expect(await readInput(input(), { timeoutMs: 1 })).toBe('')
  const terminal = Object.assign(input(), { isTTY: true as const })
  expect(await readInput(terminal, { timeoutMs: 60_000 })).toBe('')
})

it('rejects input larger than any conversation', async () => {
  const piped = input()
  const read = readInput(piped)
  const part = Buffer.alloc(1_048_576, ' ')
  for (let n = 0; n < 17; n += 1) piped.write(part)
  await expect(read).rejects.toMatchObject({ code: 'usage', exit: 2 })
})

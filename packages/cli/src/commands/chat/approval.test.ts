import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Context } from '../../context.ts'
import type { TypedLines } from '../../terminal/line-reader.ts'
import { askForChoice } from './approval.ts'

const question = {
  request: 'r1',
  label: 'Run ls?',
  choices: ['allow_once', 'allow_always', 'reject_once'],
  about: [],
}
const notes: string[] = []
const context = { output: { json: false, note: (line: string) => notes.push(line) } } as unknown as Context
const signal = new AbortController().signal

/** Simulates a user who types these lines, one for each question. */
const typing = (...lines: readonly string[]) => {
  const next = vi.fn<TypedLines['next']>()
  for (const text of lines) next.mockResolvedValueOnce({ text } as never)
  return { next, lines: { next } as unknown as TypedLines }
}

const terminals = [process.stdin, process.stderr]
const before = terminals.map(({ isTTY }) => isTTY)
const setTerminal = (isTTY: boolean) => {
  for (const stream of terminals) stream.isTTY = isTTY
}
beforeEach(() => {
  notes.length = 0
})
afterEach(() => {
  terminals.forEach((stream, index) => {
    stream.isTTY = before[index] ?? false
  })
})

it('asks again while the input matches several choices', async () => {
  setTerminal(true)
  const { next, lines } = typing('a', 'allow_a')
  expect(await askForChoice(context, question, signal, lines)).toBe('allow_always')
  expect(next).toHaveBeenCalledTimes(2)
})

it('denies a request with a note if there is no terminal', async () => {
  setTerminal(false)
  expect(await askForChoice(context, question, signal, null)).toBe('reject_once')
  expect(notes.join()).toContain('denied, because this is not a terminal')
})

import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { TypedLines } from './line-reader.ts'

const CTRL_C = '\x03'
const CTRL_D = '\x04'

function terminal() {
  const input = new PassThrough()
  const output = new PassThrough()
  let shown = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const lines = new TypedLines({ input, output })
  onTestFinished(() => lines.close())
  const type = (keys: string) => void input.write(keys)
  /** Types a line that nobody asked for, and lets the time pass in which more could be pasted. */
  const typeUnasked = async (line: string) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    type(`${line}\r`)
    await expect.poll(() => shown).toContain(`${line}\r\n`)
    vi.runAllTimers()
    vi.useRealTimers()
  }
  return { lines, type, typeUnasked }
}

describe('lines that a user types', () => {
  it('are returned when they are requested, including earlier ones', async () => {
    const { lines, type, typeUnasked } = terminal()
    const first = lines.next('› ')
    type('one\r')
    expect(await first).toEqual({ text: 'one' })
    await typeUnasked('two')
    expect(await lines.next('› ')).toEqual({ text: 'two' })
  })

  it('are joined if they were pasted together', async () => {
    const { lines, type } = terminal()
    const pasted = lines.next('› ')
    type('one\rtwo\r\rfour\r')
    expect(await pasted).toEqual({ text: 'one\ntwo\n\nfour' })
  })

  it('do not answer a question that is asked later', async () => {
    const { lines, type, typeUnasked } = terminal()
    await typeUnasked('yes')
    const answer = lines.next('Do it? ', { fresh: true })
    type('no\r')
    expect(await answer).toEqual({ text: 'no' })
  })

  it('are cleared by Ctrl-C, and end with a second Ctrl-C, Ctrl-D or an abort', async () => {
    const { lines, type } = terminal()
    const cleared = lines.next('› ')
    type(`half${CTRL_C}whole\r`)
    expect(await cleared).toEqual({ text: 'whole' })
    const left = lines.next('› ')
    type(CTRL_C)
    expect(await left).toBe('interrupted')
    const over = new AbortController()
    const unneeded = lines.next('› ', { signal: over.signal })
    over.abort()
    expect(await unneeded).toBe('unneeded')
    const ended = lines.next('› ')
    type(CTRL_D)
    expect(await ended).toBe('left')
    expect(await lines.next('› ')).toBe('left')
  })

  it('pass Ctrl-C on as a signal while nothing is requested', async () => {
    const { type } = terminal()
    const heard = Promise.withResolvers<void>()
    const listen = () => heard.resolve()
    process.on('SIGINT', listen)
    onTestFinished(() => void process.off('SIGINT', listen))
    type(CTRL_C)
    await heard.promise
  })
})

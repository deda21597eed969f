import { describe, expect, it } from 'vitest'
import { cutLine, openScreen } from './watch.ts'

describe('the alternate screen', () => {
  it('writes nothing after it was closed, and closes only once', () => {
    let written = ''
    const write = (text: string) => {
      written += text
    }
    const screen = openScreen({ write, rows: 24, columns: 80 })
    screen.draw(['one'])
    screen.leave()
    const whole = written
    screen.draw(['two'])
    screen.leave()
    expect(written).toBe(whole)
    expect(whole).toMatch(/one/)
    expect(whole.endsWith('\x1b[?1049l')).toBe(true)
  })

  it('cuts a line at the edge and resets its color', () => {
    expect(cutLine('\x1b[32mabcdef\x1b[39m', 3)).toBe('\x1b[32mabc\x1b[0m')
    expect(cutLine('abc', 3)).toBe('abc')
  })
})

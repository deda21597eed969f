import { describe, expect, it } from 'vitest'
import { argumentsText, piecesOf } from './example-text.ts'

describe('what a call was given', () => {
  it('is one line of JSON where that is short', () => {
    expect(argumentsText({ pattern: 'enqueueRetry', glob: 'services/**' })).toBe(
      '{ "pattern": "enqueueRetry", "glob": "services/**" }',
    )
    expect(argumentsText({ limit: 3, all: true, of: null })).toBe('{ "limit": 3, "all": true, "of": null }')
  })

  it('is the command itself where that is all of it', () => {
    const command = `cd services/billing && ${'npm test && '.repeat(5)}echo done\necho "again"`
    expect(argumentsText({ command })).toBe(command)
    expect(argumentsText({ command: 'ls' })).toBe('ls')
  })

  it('is a line for each under its name where it is longer, texts with their own line ends', () => {
    const text = 'first\nsecond, and so long that it would not fit on one line'
    expect(argumentsText({ query: text })).toBe(`query: ${text}`)
    expect(argumentsText({ command: text, timeout: 3 })).toBe(`command: ${text}\ntimeout: 3`)
    expect(argumentsText({ path: 'a.ts', content: text, times: 2, deep: { a: [1] } })).toBe(
      `path: a.ts\ncontent: ${text}\ntimes: 2\ndeep: {"a":[1]}`,
    )
  })

  it('is nothing where there was nothing', () => {
    expect(argumentsText({})).toBe('')
  })
})

describe('the pieces of a text', () => {
  const kinds = (text: string) => piecesOf(text).map(({ kind, text: said }) => [kind, said])

  it('set apart what took the place of a secret', () => {
    expect(kinds('API_KEY=[redacted:key] npm test')).toEqual([
      ['text', 'API_KEY='],
      ['removed', '[redacted:key]'],
      ['text', ' npm test'],
    ])
  })

  it('set apart how much was cut', () => {
    expect(kinds('a\n… 64 lines cut')).toEqual([
      ['text', 'a\n'],
      ['cut', '… 64 lines cut'],
    ])
    for (const cut of ['… 1,234 characters cut', '… 1 item cut', '… nested deeper, cut', '… cut'])
      expect(kinds(cut)).toEqual([['cut', cut]])
  })

  it('together are the text again', () => {
    for (const text of ['', '[redacted:', '… cutting', '[redacted:a][redacted:b]… 1 line cut…', '<b>x</b>'])
      expect(
        piecesOf(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text)
  })
})

import { describe, expect, it } from 'vitest'
import { argumentsText, splitPieces } from './example-text.ts'

describe('the arguments of a call', () => {
  it('fit on one line of JSON when they are short', () => {
    expect(argumentsText({ pattern: 'enqueueRetry', glob: 'services/**' })).toBe(
      '{ "pattern": "enqueueRetry", "glob": "services/**" }',
    )
    expect(argumentsText({ limit: 3, all: true, of: null })).toBe('{ "limit": 3, "all": true, "of": null }')
  })

  it('are only the command when there is nothing else', () => {
    const command = `cd services/billing && ${'npm test && '.repeat(5)}echo done\necho "again"`
    expect(argumentsText({ command })).toBe(command)
    expect(argumentsText({ command: 'ls' })).toBe('ls')
  })

  it('are listed by name when they are long, with line breaks kept', () => {
    const text = 'first\nsecond, and so long that it would not fit on one line'
    expect(argumentsText({ query: text })).toBe(`query: ${text}`)
    expect(argumentsText({ command: text, timeout: 3 })).toBe(`command: ${text}\ntimeout: 3`)
    expect(argumentsText({ path: 'a.ts', content: text, times: 2, deep: { a: [1] } })).toBe(
      `path: a.ts\ncontent: ${text}\ntimes: 2\ndeep: {"a":[1]}`,
    )
  })

  it('are empty for an empty object', () => {
    expect(argumentsText({})).toBe('')
  })
})

describe('the pieces of a text', () => {
  const kinds = (text: string) => splitPieces(text).map(({ kind, text: said }) => [kind, said])

  it('mark redacted secrets', () => {
    expect(kinds('API_KEY=[redacted:key] npm test')).toEqual([
      ['text', 'API_KEY='],
      ['removed', '[redacted:key]'],
      ['text', ' npm test'],
    ])
  })

  it('mark notes about cut text', () => {
    expect(kinds('a\n… 64 lines cut')).toEqual([
      ['text', 'a\n'],
      ['cut', '… 64 lines cut'],
    ])
    for (const cut of ['… 1,234 characters cut', '… 1 item cut', '… nested deeper, cut', '… cut'])
      expect(kinds(cut)).toEqual([['cut', cut]])
  })

  it('add up to the original text', () => {
    for (const text of ['', '[redacted:', '… cutting', '[redacted:a][redacted:b]… 1 line cut…', '<b>x</b>'])
      expect(
        splitPieces(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text)
  })
})

import { expect, it } from 'vitest'
import { markdownLine, markdownQuote, markdownText } from './display.ts'

const ACTIVE = [
  '<script>alert(1)</script>',
  '<!-- hidden -->',
  '<https://evil.test>',
  '![x](https://evil.test/?q=secret)',
  '![x][y]',
  '[x](javascript:alert(1))',
  '[x] (https://evil.test)',
  '[x]\n(y)',
  '[x][y]',
  '[x]: https://evil.test',
  'see [[a note]]',
  'see https://evil.test',
  'see www.evil.test',
  'ask a@evil.test',
  'cc @everybody',
  '&lt;b&gt; &#106;avascript',
  '```mermaid\nclick a "https&#58;x"\n```',
  '~~~ geojson\n{}\n~~~',
]

it.each(ACTIVE)('keeps %j verbatim in a fence', (text) => {
  for (const written of [markdownText(text), markdownQuote(text)])
    expect(written).toMatch(/^(`{3,})text\n[\s\S]*\n\1$/)
  expect(markdownText(text)).toContain(`\n${text}\n`)
})

it('keeps plain text as Markdown', () => {
  const text = '# Fine\n\n- **one** of `a[0]`, #2\n\n```js\n1 < 2\n```\n'
  expect(markdownText(text)).toBe(text)
  expect(markdownQuote('one\ntwo')).toBe('> one\n> two')
})

it.each(['```js\nnever ends', '~~~\n```', '````\n```\n', 'a\n```\nb\n```\n```c'])(
  'lets no code block swallow what follows: %j',
  (text) => {
    expect(markdownText(text)).toMatch(/^(`{3,})text\n[\s\S]*\n\1$/)
    expect(markdownText(text).startsWith('`````') || !text.includes('````')).toBe(true)
  },
)

it('formats one line without markup, links or invisible characters', () => {
  const line = markdownLine('[x](https://evil.test) <b> a@b \u202e\n# h', 200)
  expect(line).toBe('\\[x\\]\\(https\\://evil\\.test\\) \\<b\\> a\\@b ‹U\\+202E› \\# h')
})

it('takes time linear in the text', () => {
  for (const part of [']', '] ', '`', '```', 'a.', 'a:', '&#', '<', ' ', '@', '\n```'])
    markdownText(part.repeat(300_000))
})

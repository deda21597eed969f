import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { toSafeLink } from './blocks.tsx'
import { Markdown } from './markdown.tsx'

const html = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }))

/** The names of all rendered elements. */
const tagsIn = (text: string) => new Set([...html(text).matchAll(/<([a-z0-9]+)/g)].map(([, name]) => name))

describe('Markdown', () => {
  it('renders headings, lists, tables, quotes and code as elements', () => {
    const drawn = html(
      '# Title\n\n1. **one**\n2. `two`\n\n> quote\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```ts\nlet a\n```\n',
    )
    expect(drawn).toContain('role="heading"')
    expect(drawn).toContain('<strong')
    expect(drawn).toContain('<blockquote')
    expect(drawn).toContain('text-right')
    expect(drawn).toContain('<pre')
  })

  it('shows HTML as text and never renders it', () => {
    const hostile = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      'a <b onclick="x()">b</b>',
      '<iframe src="javascript:alert(1)"></iframe>',
      '<svg><animate onbegin=alert(1)></svg>',
      '<style>*{display:none}</style>',
      '- <details open ontoggle=alert(1)>',
      '| <script>x</script> |\n|---|\n| <img src=x onerror=y> |',
      '<!-- --!><script>alert(1)</script>',
    ]
    for (const text of hostile) {
      const tags = tagsIn(text)
      for (const tag of ['script', 'img', 'b', 'iframe', 'svg', 'style', 'details', 'animate'])
        expect({ text, tag, drawn: tags.has(tag) }).toEqual({ text, tag, drawn: false })
      expect(html(text)).toContain('&lt;')
    }
  })

  it('links only to safe addresses', () => {
    for (const href of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' javascript:alert(1)',
      'java\tscript:alert(1)',
      'javascript&colon;alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'blob:http://a/b',
      '/settings',
      '//elsewhere',
      '#page',
    ]) {
      expect({ href, link: toSafeLink(href) }).toEqual({ href, link: null })
      expect(html(`[words](<${href}>)`)).not.toContain('<a')
      expect(html(`[words][1]\n\n[1]: <${href}>`)).not.toContain('<a')
    }
    expect(html('<javascript:alert(1)>')).not.toContain('<a')
    const safe = html('[docs](https://example.com/a?b=c) and https://example.com/d')
    expect(safe.match(/rel="noopener noreferrer nofollow ugc"/g)?.length).toBe(2)
    expect(toSafeLink('mailto:a@example.com')).toBe('mailto:a@example.com')
  })

  it('replaces images with their alt text and loads nothing', () => {
    for (const href of ['https://example.com/x.png', 'data:image/svg+xml,<svg onload=alert(1)>', 'x.png'])
      expect(tagsIn(`![seen](<${href}>)`).has('img')).toBe(false)
    expect(html('![seen](https://example.com/x.png)')).toContain('[picture: seen]')
  })

  it('shows invisible and direction-changing characters by their code point', () => {
    expect(html('a\u202Eb\u0000c')).toContain('‹U+202E›')
  })

  it('survives extremely deep nesting', () => {
    expect(html(`${'> '.repeat(3_000)}deep`)).toContain('deep')
    expect(html(`${'> '.repeat(8)}quoted`)).toContain('<blockquote')
    expect(html(`${'*a **b '.repeat(2_000)}`)).toContain('a')
    expect(html(`${'['.repeat(5_000)}x${']'.repeat(5_000)}`)).toContain('x')
  })

  it('renders only the beginning of a huge text and offers the rest', () => {
    const began = performance.now()
    const drawn = html('word '.repeat(400_000))
    expect(drawn.length).toBeLessThan(400_000)
    expect(drawn).toContain('<button')
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it('colors added and removed lines of a diff and keeps their signs', () => {
    const drawn = html('```diff\n- old\n+ new\n same\n```')
    expect(drawn).toContain('text-failed">- old')
    expect(drawn).toContain('text-done">+ new')
  })

  it('recognizes a diff in a code block without a language', () => {
    expect(html('```\n@@ -1,2 +1,2 @@\n-a\n+b\n```')).toContain('text-done')
    expect(html('```js\n-a\n+b\n```')).not.toContain('text-done')
  })
})

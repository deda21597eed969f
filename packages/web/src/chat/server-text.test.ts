import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { ServerText } from './server-text.tsx'

it('shows text in backticks as code and a lone backtick as text', () => {
  const drawn = (text: string) => renderToStaticMarkup(createElement(ServerText, { text }))
  expect(drawn('Start it with `hermes serve`, then retry.')).toMatch(
    /^Start it with <code[^>]*>hermes serve<\/code>, then retry\.$/,
  )
  expect(drawn('a ` and <b>')).toBe('a ` and &lt;b&gt;')
})

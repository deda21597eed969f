import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Said } from './said.tsx'

it('shows what is to be typed as code, and a lone backtick as it is', () => {
  const drawn = (text: string) => renderToStaticMarkup(createElement(Said, { text }))
  expect(drawn('Start it with `hermes serve`, then retry.')).toMatch(
    /^Start it with <code[^>]*>hermes serve<\/code>, then retry\.$/,
  )
  expect(drawn('a ` and <b>')).toBe('a ` and &lt;b&gt;')
})

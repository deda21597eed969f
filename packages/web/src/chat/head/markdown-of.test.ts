import { expect, it } from 'vitest'
import { message } from '../chat.test-kit.ts'
import { markdownOf } from './markdown-of.ts'

it('copies a conversation with its title and whoever said what, without answers that have no words', () => {
  const messages = [
    message('m1', 'user', { content: 'Where is it?' }),
    message('m2', 'assistant', { content: '' }),
    message('m3', 'assistant', { content: 'In the **cellar**.', runtime: 'hermes' }),
  ]
  expect(markdownOf({ title: 'The lock', messages })).toBe(
    '# The lock\n\n## You\n\nWhere is it?\n\n## Hermes\n\nIn the **cellar**.',
  )
  expect(markdownOf({ title: '', messages: [] })).toBe('# New conversation')
})

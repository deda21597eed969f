import { expect, it } from 'vitest'
import { message } from '../chat.test-kit.ts'
import { toMarkdown } from './head.tsx'

it('copies a conversation with its title and speakers and skips empty answers', () => {
  const messages = [
    message('m1', 'user', { content: 'Where is it?' }),
    message('m2', 'assistant', { content: '' }),
    message('m3', 'assistant', { content: 'In the **cellar**.', runtime: 'hermes' }),
  ]
  expect(toMarkdown({ title: 'The lock', messages })).toBe(
    '# The lock\n\n## You\n\nWhere is it?\n\n## Hermes\n\nIn the **cellar**.',
  )
  expect(toMarkdown({ title: '', messages: [] })).toBe('# New conversation')
})

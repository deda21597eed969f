import { expect, it } from 'vitest'
import { extractUserMessage, prependContext } from './index.ts'

it("extracts the user's message from behind the context in a prompt", () => {
  const context = 'What is remembered:\n- a heron\n\n<conversation>\n[person]\nBefore.\n</conversation>'
  expect(extractUserMessage(prependContext(context, 'Name a bird.\n\nOr two.'))).toBe(
    'Name a bird.\n\nOr two.',
  )
})

it('takes the last message when the context quotes an earlier prompt', () => {
  const earlier = prependContext('What is remembered: a heron', 'First?')
  expect(extractUserMessage(prependContext(earlier, 'Second?'))).toBe('Second?')
})

it('returns no message for files alone, also after the prompt was trimmed', () => {
  const prompt = prependContext('What is remembered: a heron', ' ')
  expect(extractUserMessage(prompt).trim()).toBe('')
  expect(extractUserMessage(prompt.trim())).toBe('')
})

it('leaves a prompt without context unchanged', () => {
  expect(prependContext('', 'Name a bird.')).toBe('Name a bird.')
  expect(extractUserMessage('Name a bird.')).toBe('Name a bird.')
})

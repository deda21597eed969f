import { expect, it } from 'vitest'
import { personsMessage, withContext } from './index.ts'

it("extracts the user's message from behind the context in a prompt", () => {
  const context = 'What is remembered:\n- a heron\n\n<conversation>\n[person]\nBefore.\n</conversation>'
  expect(personsMessage(withContext(context, 'Name a bird.\n\nOr two.'))).toBe('Name a bird.\n\nOr two.')
})

it('takes the last message when the context quotes an earlier prompt', () => {
  const earlier = withContext('What is remembered: a heron', 'First?')
  expect(personsMessage(withContext(earlier, 'Second?'))).toBe('Second?')
})

it('returns no message for files alone, also after the prompt was trimmed', () => {
  const prompt = withContext('What is remembered: a heron', ' ')
  expect(personsMessage(prompt).trim()).toBe('')
  expect(personsMessage(prompt.trim())).toBe('')
})

it('leaves a prompt without context unchanged', () => {
  expect(withContext('', 'Name a bird.')).toBe('Name a bird.')
  expect(personsMessage('Name a bird.')).toBe('Name a bird.')
})

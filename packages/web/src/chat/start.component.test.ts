import { describe, expect } from 'vitest'
import { eventually, expectAccessible, page, userEvent } from '../testing/page.tsx'
import { runtime } from './chat.test-kit.ts'
import { answers, button, it, pick, region, sendButton, write } from './chat-page.test-kit.ts'

describe('Chat before the first message', () => {
  it('is reached with the key 7, and asks a suggested question with one press', async ({ open, chat }) => {
    await open('/')
    await userEvent.keyboard('7')
    await expect.element(page.getByRole('heading', { name: 'What is it about?' })).toBeVisible()
    await expectAccessible()
    await button('What did my agents do today?').click()
    await expect.element(answers().getByText('It is empty there.')).toBeVisible()
    await expect.poll(() => location.search).toBe('?c=chat-1')
    expect(chat.run.input).toEqual({ message: 'What did my agents do today?', runtime: 'jarvis' })
    await expect.element(page.getByRole('link', { name: /^What did my agents do today/ })).toBeVisible()
  })

  it('asks the runtime that was picked, and names no model that nobody chose', async ({ open, chat }) => {
    await open('/chat?new=true')
    await pick('Runtime', /scripted/)
    await write('Who is there?')
    await expect.element(answers().getByText('It is empty there.')).toBeVisible()
    expect(chat.run.input).toEqual({ message: 'Who is there?', runtime: 'acp:scripted' })
    await expect.element(sendButton()).toBeVisible()
    await pick('Runtime', /Jarvis/)
    await pick('Model', /counts/)
    await write('And you?')
    await eventually(() => chat.runs.length).toBe(2)
    expect(chat.run.input).toEqual({ message: 'And you?', runtime: 'jarvis', model: 'local/counts' })
    await expect.element(page.getByText('Jarvis goes on from here. It was given 2 messages.')).toBeVisible()
  })

  it('says of every runtime what is missing where none is ready, with lines for the config', async ({
    open,
    chat,
  }) => {
    chat.runtimes = [
      runtime('jarvis', { state: 'not_configured', detail: 'Name a provider and model.', is_default: true }),
    ]
    await open('/chat')
    await expect.element(page.getByRole('heading', { name: 'No runtime is ready' })).toBeVisible()
    await expect.element(page.getByText('Name a provider and model.').first()).toBeVisible()
    await expect.element(region('For config.yaml').getByText(/runtimes:/)).toBeVisible()
    await expect.element(region('For config.yaml').getByRole('button', { name: 'Copy' })).toBeVisible()
    await expectAccessible()
  })
})

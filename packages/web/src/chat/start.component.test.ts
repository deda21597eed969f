import { describe, expect } from 'vitest'
import { eventually, expectAccessible, page, userEvent } from '../testing/page.tsx'
import { runtime } from './chat.test-kit.ts'
import { answers, button, it, pick, region, sendButton, write } from './chat-page.test-kit.ts'

describe('Chat before the first message', () => {
  it('opens with the key 7 and sends a suggested question with one click', async ({ open, chat }) => {
    await open('/')
    await userEvent.keyboard('7')
    await expect.element(page.getByRole('heading', { name: 'Start a conversation' })).toBeVisible()
    await expectAccessible()
    await button('What did my agents do today?').click()
    await expect.element(answers().getByText('It is empty there.')).toBeVisible()
    await expect.poll(() => location.search).toBe('?c=chat-1')
    expect(chat.run.input).toEqual({ message: 'What did my agents do today?', runtime: 'jarvis' })
    await expect.element(page.getByRole('link', { name: /^What did my agents do today/ })).toBeVisible()
  })

  it('asks the chosen runtime and names a model only if one was chosen', async ({ open, chat }) => {
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
    await expect.element(page.getByText('Jarvis continues from here. It received 2 messages.')).toBeVisible()
  })

  it('says what every runtime lacks and shows config lines when none is ready', async ({ open, chat }) => {
    chat.runtimes = [
      runtime('jarvis', { state: 'not_configured', detail: 'Name a provider and model.', is_default: true }),
    ]
    await open('/chat')
    await expect.element(page.getByRole('heading', { name: 'No runtime is ready' })).toBeVisible()
    await expect.element(page.getByText(/conversations? · no runtime is ready$/)).toBeVisible()
    await expect.element(page.getByText('Name a provider and model.').first()).toBeVisible()
    await expect.element(region('For config.yaml').getByText(/runtimes:/)).toBeVisible()
    await expect.element(region('For config.yaml').getByRole('button', { name: 'Copy' })).toBeVisible()
    await expectAccessible()
  })
})

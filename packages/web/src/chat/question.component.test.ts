import { afterEach, describe, expect, vi } from 'vitest'
import { agent } from '../live/agents.test-kit.ts'
import { eventually, expectAccessible, page, userEvent } from '../testing/page.tsx'
import { answers, field, it, log, sendButton, write } from './chat-page.test-kit.ts'
import type { FakeChat } from './fake-chat.test-kit.ts'

const card = () => page.getByRole('group', { name: 'scripted asks' })
const approvals = '/api/conversations/chat-1/approvals/run-1-ask1'
const focusedName = () => document.activeElement?.getAttribute('aria-label')

/** Adds a conversation whose agent asks for permission. */
function addAsking(chat: FakeChat): string {
  chat.onRun = (run) => run.ask('Do it')
  return chat.add({ runtime: 'acp:scripted' }).id
}

/**
 * A new question ignores keys at first. This nearly stops the clock and returns a function that skips the
 * delay.
 */
function holdTime(): () => void {
  const now = performance.now.bind(performance)
  const from = now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => from + (now() - from) / 1_000)
  return () => void clock.mockImplementation(() => now() + 1_000)
}

afterEach(() => void vi.restoreAllMocks())

describe('A question of a runtime', () => {
  it('takes the focus from an empty field, accepts keys and returns the focus', async ({
    open,
    chat,
    server,
  }) => {
    await open(`/chat?c=${addAsking(chat)}`)
    const skipTime = holdTime()
    await write('Run it.')
    await expect.element(card().getByText('a', { exact: true })).toBeVisible()
    await eventually(focusedName).toBe('scripted asks')
    // This key was pressed before the question appeared and meant for something else.
    await userEvent.keyboard('a')
    expect(server.requestsTo(`POST ${approvals}`)).toHaveLength(0)
    skipTime()
    await userEvent.keyboard('a')
    await eventually(() => server.requestsTo(`POST ${approvals}`).map(({ body }) => body)).toEqual([
      { choice: 'once' },
    ])
    chat.run.say('It ran.').done()
    await expect.element(answers().getByText('It ran.')).toBeVisible()
    await expect.element(answers().getByText('Do it · you chose: Allow once')).toBeVisible()
    await eventually(focusedName).toBe('Message')
    await expect.element(field()).toHaveValue('')
  })

  it('leaves the focus in a field with text, and the first key only focuses it', async ({
    open,
    chat,
    server,
  }) => {
    await open(`/chat?c=${addAsking(chat)}`)
    chat.onRun = () => undefined
    await write('Run it.')
    await field().fill('The next')
    await eventually(() => chat.runs.length).toBe(1)
    chat.run.ask('Do it')
    await expect.element(card().getByText(/^expires in \d:\d\d$/)).toBeVisible()
    server.stream.send({ type: 'agents', seq: 1, data: [waiting()] })
    const needs = page.getByRole('region', { name: 'Needs you, 1 agent' }).getByRole('link')
    await expect.element(needs).toHaveAttribute('href', '/chat?c=chat-1')
    await expectAccessible()
    await userEvent.keyboard('a')
    await expect.element(field()).toHaveValue('The nexta')
    await expect.element(card().getByText('a', { exact: true })).not.toBeVisible()
    log().element().focus()
    await userEvent.keyboard('a')
    expect(server.requestsTo(`POST ${approvals}`)).toHaveLength(0)
    expect(focusedName()).toBe('scripted asks')
    expect(getComputedStyle(card().element())).toMatchObject({ outlineStyle: 'solid', outlineWidth: '2px' })
    await userEvent.keyboard('a')
    await eventually(() => server.requestsTo(`POST ${approvals}`).map(({ body }) => body)).toEqual([
      { choice: 'once' },
    ])
  })

  it('is answered once by a button', async ({ open, chat, server }) => {
    await open(`/chat?c=${addAsking(chat)}`)
    await write('Once more.')
    await card().getByRole('button', { name: /^Deny/ }).click()
    await expect.element(answers().getByText('Do it · you chose: Deny')).toBeVisible()
    expect(server.requestsTo(`POST ${approvals}`).map(({ body }) => body)).toEqual([{ choice: 'deny' }])
    chat.run.say('Then I leave it.').done()
    await expect.element(sendButton()).toBeVisible()
  })
})

/** The agent on the Live page that asks the question. */
const waiting = () =>
  agent({
    ...{ source: 'panoptes', session_id: 'chat-1', id: 'main', parent_id: null },
    ...{ state: 'waiting', wait_reason: 'approval', started_at: Date.now(), last_at: Date.now() },
  })

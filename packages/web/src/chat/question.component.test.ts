import { afterEach, describe, expect, vi } from 'vitest'
import { agent } from '../live/agents.test-kit.ts'
import { eventually, expectAccessible, page, userEvent } from '../testing/page.tsx'
import { answers, field, it, log, sendButton, write } from './chat-page.test-kit.ts'
import type { FakeChat } from './fake-chat.test-kit.ts'

const card = () => page.getByRole('group', { name: 'scripted asks' })
const approvals = '/api/conversations/chat-1/approvals/run-1-ask1'
const focusedName = () => document.activeElement?.getAttribute('aria-label')

/** A conversation with an agent that asks before it does something, and says then what came of it. */
function addAsking(chat: FakeChat): string {
  chat.onRun = (run) => run.ask('Do it')
  return chat.add({ runtime: 'acp:scripted' }).id
}

/** Keys count only some time after a question came: until then time nearly stands still, and afterwards it is past. */
function holdTime(): () => void {
  const now = performance.now.bind(performance)
  const from = now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => from + (now() - from) / 1_000)
  return () => void clock.mockImplementation(() => now() + 1_000)
}

afterEach(() => void vi.restoreAllMocks())

describe('A question of a runtime', () => {
  it('takes the focus where nothing is being written, is answered by keys, and gives the focus back', async ({
    open,
    chat,
    server,
  }) => {
    await open(`/chat?c=${addAsking(chat)}`)
    const skipTime = holdTime()
    await write('Run it.')
    await expect.element(card().getByText('a', { exact: true })).toBeVisible()
    await eventually(focusedName).toBe('scripted asks')
    // It was on its way when the question came, and meant for something else.
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

  it('leaves the focus to whoever writes, and a first key only goes to it', async ({
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
    await expect.element(card().getByText(/^stops asking in \d:\d\d$/)).toBeVisible()
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

  it('is answered with a press of a button, and only once', async ({ open, chat, server }) => {
    await open(`/chat?c=${addAsking(chat)}`)
    await write('Once more.')
    await card().getByRole('button', { name: /^Deny/ }).click()
    await expect.element(answers().getByText('Do it · you chose: Deny')).toBeVisible()
    expect(server.requestsTo(`POST ${approvals}`).map(({ body }) => body)).toEqual([{ choice: 'deny' }])
    chat.run.say('Then I leave it.').done()
    await expect.element(sendButton()).toBeVisible()
  })
})

/** How Live tells of the agent that asks. */
const waiting = () =>
  agent({
    ...{ source: 'panoptes', session_id: 'chat-1', id: 'main', parent_id: null },
    ...{ state: 'waiting', wait_reason: 'approval', started_at: Date.now(), last_at: Date.now() },
  })

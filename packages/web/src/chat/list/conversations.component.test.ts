import { describe, expect } from 'vitest'
import { eventually, page, userEvent } from '../../testing/page.tsx'
import { message } from '../chat.test-kit.ts'
import { answers, button, conversationList, it, pick, sendButton, write } from '../chat-page.test-kit.ts'

const link = (name: string | RegExp) => conversationList().getByRole('link', { name })

describe('The list of conversations', () => {
  it('supports navigation, search and writing by keyboard alone', async ({ open, chat }) => {
    chat.addAnswered('about the older lock')
    chat.addAnswered('about the newer lock')
    await open('/chat')
    await expect.element(link(/about the newer lock/)).toBeVisible()
    await userEvent.keyboard('j')
    await eventually(() => location.search).toBe('?c=chat-2')
    await userEvent.keyboard('j')
    await eventually(() => location.search).toBe('?c=chat-1')
    await userEvent.keyboard('k')
    await eventually(() => location.search).toBe('?c=chat-2')
    await userEvent.keyboard('c')
    await expect.element(page.getByLabelText('Message')).toHaveFocus()
    await userEvent.keyboard('by keys alone{Shift>}{Enter}{/Shift}on two lines{Enter}')
    await expect.element(answers().getByText('It is empty there.')).toBeVisible()
    expect(chat.run.input.message).toBe('by keys alone\non two lines')
    await expect.element(sendButton()).toBeVisible()
    await userEvent.keyboard('{Escape}/older')
    await eventually(() => conversationList().getByRole('link').elements().length).toBe(1)
    await expect.poll(() => location.search).toBe('?c=chat-3&q=older')
    link(/older lock/)
      .element()
      .focus()
    await userEvent.keyboard('{Enter}')
    await eventually(() => location.search).toBe('?c=chat-1&m=run-1-user&q=older')
  })

  it('shows the new title after a rename and discards the edit on Escape', async ({ open, chat, server }) => {
    await open(`/chat?c=${chat.addAnswered('about the lock').id}`)
    await button(/Rename$/).click()
    await userEvent.keyboard('Never mind{Escape}')
    await expect.element(button(/Rename$/)).toHaveFocus()
    expect(server.requestsTo('PUT /api/conversations/chat-1')).toHaveLength(0)
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByLabelText('Title of the conversation')).toHaveFocus()
    await userEvent.keyboard('Renamed lock{Enter}')
    await expect.element(link(/^Renamed lock/)).toBeVisible()
    expect(server.requestsTo('PUT /api/conversations/chat-1').map(({ body }) => body)).toEqual([
      { title: 'Renamed lock' },
    ])
  })

  it('scrolls to a new conversation and shows its outcome and the number of matches', async ({
    open,
    chat,
  }) => {
    for (let n = 0; n < 40; n += 1) chat.add({ title: `Other ${n}` })
    await open('/chat')
    const list = conversationList()
    await expect.element(link(/^Other 0 /)).toBeInTheDocument()
    link(/^Other 0 /)
      .element()
      .scrollIntoView()
    expect(list.getByRole('list').element().scrollTop).toBeGreaterThan(0)
    await list.getByRole('button', { name: 'New conversation' }).click()
    await pick('Model', /broken/)
    chat.onRun = (run) => run.fail('unauthorized', 'local answered 401: no such key')
    await write('Where is the needle?')
    const own = link(/^Where is the needle/)
    await expect.element(own).toHaveAttribute('aria-current', 'page')
    await expect.element(own).toMatchTextContent(/failed.*now/)
    const topOf = (one: typeof own) => one.element().getBoundingClientRect().top
    await eventually(() => topOf(own) - topOf(list.getByRole('list'))).toBeGreaterThanOrEqual(0)
    await page.getByRole('textbox', { name: 'Find' }).fill('needle')
    await expect.element(page.getByText(/^1 of 41 conversations/)).toBeVisible()
  })

  it('loads the next page on request and reports a failed search', async ({ open, chat, server }) => {
    for (let n = 0; n < 101; n += 1) chat.add({ title: `Other ${n}` })
    await open('/chat')
    await expect.element(link(/^Other 1 /)).toBeInTheDocument()
    await expect.element(link(/^Other 0 /)).not.toBeInTheDocument()
    await button('Show more').click()
    await expect.element(link(/^Other 0 /)).toBeInTheDocument()
    server.fail('GET /api/conversations', 500, { detail: 'The store is locked.', next: 'Wait.' })
    await page.getByRole('textbox', { name: 'Find' }).fill('Other 7')
    await expect.element(conversationList().getByRole('alert')).toMatchTextContent(/The store is locked/)
  })
})

describe('A conversation', () => {
  it('can be forked from a message and links back to that message', async ({ open, chat, server }) => {
    await open(`/chat?c=${chat.addAnswered('to be forked').id}`)
    await answers().getByRole('button', { name: 'Fork from here' }).click()
    await eventually(() => location.search).toBe('?c=chat-2')
    expect(server.requestsTo('POST /api/conversations/chat-1/fork').map(({ body }) => body)).toEqual([
      { message_id: 'run-1-answer' },
    ])
    await expect.element(link(/to be forked.*fork/)).toBeVisible()
    await page.getByRole('link', { name: 'Fork', exact: true }).click()
    await eventually(() => location.search).toBe('?c=chat-1&m=run-1-answer')
  })

  it('can be exported to a file or copied as Markdown', async ({ open, chat, copied }) => {
    await open(`/chat?c=${chat.addAnswered('to be kept').id}`)
    await button('Export').click()
    const saved = (name: string) => page.getByRole('menuitem', { name })
    await expect
      .element(saved('Save as Markdown'))
      .toHaveAttribute('href', '/api/conversations/chat-1/export?format=markdown')
    await expect
      .element(saved('Save as JSON'))
      .toHaveAttribute('href', '/api/conversations/chat-1/export?format=json')
    await saved('Copy as Markdown').click()
    await expect.element(page.getByText('Copied 2 messages')).toBeVisible()
    expect(copied()).toBe('# to be kept\n\n## You\n\nto be kept\n\n## Jarvis\n\nIt is empty there.')
  })

  it('can be restored after deletion, and leaving the page makes the deletion final', async ({
    open,
    chat,
    server,
  }) => {
    const deleted = chat.addAnswered('to be deleted')
    chat.addAnswered('to stay')
    await open(`/chat?c=${deleted.id}`)
    await button('Delete the conversation').click()
    await expect.element(page.getByText('Deleted “to be deleted”')).toBeVisible()
    await expect.element(link(/to be deleted/)).not.toBeInTheDocument()
    await button('Undo').click()
    await link(/to be deleted/).click()
    await button('Delete the conversation').click()
    await expect.element(link(/to be deleted/)).not.toBeInTheDocument()
    expect(server.requestsTo('DELETE /api/conversations/chat-1')).toHaveLength(0)
    window.dispatchEvent(new PageTransitionEvent('pagehide'))
    const removals = () =>
      server.requestsTo('DELETE /api/conversations/chat-1').map(({ keepalive }) => keepalive)
    await eventually(removals).toEqual([true])
    window.dispatchEvent(new PageTransitionEvent('pagehide'))
    await link(/^to stay/).click()
    await eventually(() => location.search).toBe('?c=chat-2')
    expect(removals()).toEqual([true])
  })

  it('is deleted from the server ten seconds after the deletion', async ({
    open,
    chat,
    server,
    stopClock,
  }) => {
    await open(`/chat?c=${chat.addAnswered('to be deleted').id}`)
    await expect.element(link(/to be deleted/)).toBeVisible()
    const passTime = stopClock()
    await button('Delete the conversation').click()
    await expect.element(link(/to be deleted/)).not.toBeInTheDocument()
    passTime(9_900)
    expect(server.requestsTo('DELETE /api/conversations/chat-1')).toHaveLength(0)
    passTime(200)
    await eventually(() => server.requestsTo('DELETE /api/conversations/chat-1').length).toBe(1)
    await expect.element(link(/to be deleted/)).not.toBeInTheDocument()
  })

  it('offers a new conversation when the address names a missing one', async ({ open, chat }) => {
    chat.add({ messages: [message('m1', 'user')] })
    await open('/chat?c=chat-9')
    await expect.element(page.getByText('This conversation no longer exists.')).toBeVisible()
    await page.getByRole('main').getByRole('button', { name: 'New conversation' }).last().click()
    await eventually(() => location.search).toBe('?new=true')
  })
})

import type { Conversation } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { FakeTeam, person } from '../settings/team/team.test-kit.ts'
import { eventually, expectAccessible, page, userEvent } from '../testing/page.tsx'
import { button, conversationList, field, it, log, WIDE } from './chat-page.test-kit.ts'

const share = page.getByRole('switch')
const ofAda: Partial<Conversation> = { owner: 'ada', owner_name: 'ada@example.org' }

/** The controls that the open conversation offers. */
const offered = () => ({
  fork: log().getByRole('button', { name: 'Fork from here' }).elements().length,
  retry: log().getByRole('button', { name: 'Retry' }).elements().length,
  edit: log().getByRole('button', { name: 'Edit' }).elements().length,
  write: field().elements().length,
  delete: button('Delete the conversation').elements().length,
  rename: button(/Rename$/).elements().length,
})

describe('A conversation in a team', () => {
  it('is private until its owner shares it with the keyboard', async ({ server, open, chat }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open(`/chat?c=${chat.addAnswered('Where is the quokka?', ofAda).id}`)
    await expect.element(share).toHaveAttribute('aria-checked', 'false')
    await expect.element(share).toHaveAccessibleName('Shared. Only you can see it')
    share.element().focus()
    await userEvent.keyboard(' ')
    await expect.element(share).toHaveAttribute('aria-checked', 'true')
    await expect.element(page.getByText('Everyone in the space main can read it now')).toBeVisible()
    expect(server.requestsTo('PUT /api/conversations/chat-1').map(({ body }) => body)).toEqual([
      { shared: true },
    ])
    await expect.element(conversationList().getByRole('link', { name: /quokka.*shared/ })).toBeVisible()
    await expectAccessible()
    await share.click()
    await expect.element(share).toHaveAttribute('aria-checked', 'false')
    await eventually(offered).toEqual({ fork: 1, retry: 1, edit: 1, write: 1, delete: 1, rename: 1 })
  })

  it('of another owner can be read and forked by a member but not changed', async ({
    server,
    open,
    chat,
  }) => {
    new FakeTeam(server, person('bob', 'member'))
    chat.addAnswered('Where is the quokka?', { ...ofAda, shared: true })
    await open('/chat?c=chat-1', WIDE)
    await expect.element(page.getByText('shared by ada@example.org')).toBeVisible()
    await expect.element(page.getByText(/^This conversation belongs to ada@example\.org\./)).toBeVisible()
    await eventually(offered).toEqual({ fork: 1, retry: 0, edit: 0, write: 0, delete: 0, rename: 0 })
    await expect.element(share).not.toBeInTheDocument()
    // The sent context contains private facts about the owner.
    await expect.element(page.getByRole('region', { name: 'Runtimes' })).toBeVisible()
    await expect.element(page.getByRole('region', { name: 'Context sent' })).not.toBeInTheDocument()
    await expectAccessible()
    chat.owner = { owner: 'bob', owner_name: 'bob@example.org' }
    await log().getByRole('button', { name: 'Fork from here' }).click()
    await eventually(() => location.search).toBe('?c=chat-2')
    await eventually(offered).toEqual({ fork: 1, retry: 1, edit: 1, write: 1, delete: 1, rename: 1 })
    history.back()
    await expect.element(page.getByText('shared by ada@example.org')).toBeVisible()
  })

  it('is read-only for a viewer', async ({ server, open, chat }) => {
    new FakeTeam(server, person('eve', 'viewer'))
    chat.addAnswered('Where is the quokka?', { ...ofAda, shared: true })
    await open('/chat')
    const only = /^You are a viewer in the space main\. You can read what is shared here\./
    await expect.element(page.getByText(only)).toBeVisible()
    await expect.element(field()).not.toBeInTheDocument()
    await expect.element(button('New conversation')).not.toBeInTheDocument()
    await conversationList()
      .getByRole('link', { name: /quokka/ })
      .click()
    await expect.element(log().getByText('It is empty there.')).toBeVisible()
    await expect.element(page.getByText(only)).toBeVisible()
    await eventually(offered).toEqual({ fork: 0, retry: 0, edit: 0, write: 0, delete: 0, rename: 0 })
    await userEvent.keyboard('c')
    await expect.element(field()).not.toBeInTheDocument()
  })

  it('lets only its owner answer the questions of a runtime', async ({ server, open, chat }) => {
    new FakeTeam(server, person('bob', 'member'))
    chat.onRun = (run) => run.ask('Do it')
    chat.begin(chat.add({ ...ofAda, shared: true, runtime: 'acp:scripted' }).id, { message: 'Run it.' })
    await open('/chat?c=chat-1')
    const card = page.getByRole('group', { name: 'scripted asks' })
    await expect
      .element(card.getByText('Only the person who started the conversation can answer.'))
      .toBeVisible()
    await expect.element(card.getByRole('button', { name: /^Allow once/ })).toBeDisabled()
    await userEvent.keyboard('a')
    await userEvent.keyboard('{Escape}')
    expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('disappears for others when it is no longer shared', async ({ server, open, chat }) => {
    new FakeTeam(server, person('bob', 'member'))
    chat.addAnswered('Where is the quokka?', { ...ofAda, shared: true })
    await open('/chat?c=chat-1')
    await expect.element(log().getByText('It is empty there.')).toBeVisible()
    chat.conversations.clear()
    server.stream.drop()
    await expect.element(page.getByText('This conversation no longer exists.')).toBeVisible()
  })

  it('has a disabled share switch for an owner who is a viewer', async ({ server, open, chat }) => {
    new FakeTeam(server, person('eve', 'viewer'))
    chat.addAnswered('Where was I?', { owner: 'eve', owner_name: 'eve@example.org' })
    await open('/chat?c=chat-1')
    await expect.element(share).toBeDisabled()
  })
})

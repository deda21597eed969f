import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { eventually } from '../page-kit.ts'
import type { TeamPage } from './kit.ts'

export function describeConversations(kit: TeamPage): void {
  it('keeps a conversation to its owner until it is shared, and says who sees it', async () => {
    const ada = await kit.open('ada', '/chat')
    await ada.getByRole('textbox', { name: /^Message/ }).fill('Where is the quokka?')
    await ada.keyboard.press('Enter')
    await ada.getByText('word60').first().waitFor()
    const share = ada.getByRole('switch', { name: /^Shared/ })
    await eventually(() => share.getAttribute('aria-checked')).toBe('false')
    await ada.getByText('Only you see it').first().waitFor()
    const bob = await kit.open('bob', '/chat')
    await bob.getByText('No conversation yet.').waitFor()
    await share.focus()
    await ada.keyboard.press('Space')
    await eventually(() => share.getAttribute('aria-checked')).toBe('true')
    await bob.getByRole('link', { name: /Where is the quokka/ }).click()
    await bob.getByText('shared by ada@example.org').waitFor()
    await bob.getByText('This conversation is ada@example.org’s.').waitFor()
    expect(await bob.getByRole('button', { name: 'Delete the conversation' }).count()).toBe(0)
    // Whose it is goes on in it; a member may fork it, and a viewer read it.
    const can = async (page: Page) => ({
      fork: await page.getByRole('button', { name: 'Fork from here' }).count(),
      retry: await page.getByRole('button', { name: 'Retry', exact: true }).count(),
      edit: await page.getByRole('button', { name: 'Edit', exact: true }).count(),
      write: await page.getByRole('textbox', { name: /^Message/ }).count(),
    })
    await eventually(() => can(ada)).toEqual({ fork: 1, retry: 1, edit: 1, write: 1 })
    await eventually(() => can(bob)).toEqual({ fork: 1, retry: 0, edit: 0, write: 0 })
    const eve = await kit.open('eve', '/chat')
    await eve.getByRole('link', { name: /Where is the quokka/ }).click()
    await eve.getByText('word60').first().waitFor()
    expect(await can(eve)).toEqual({ fork: 0, retry: 0, edit: 0, write: 0 })
    await bob.getByRole('button', { name: 'Fork from here' }).click()
    await eventually(() => can(bob)).toEqual({ fork: 1, retry: 1, edit: 1, write: 1 })
    await bob.goBack()
    await bob.getByText('shared by ada@example.org').waitFor()
    await ada.getByRole('button', { name: 'Delete the conversation' }).waitFor()
    await share.click()
    await eventually(() => share.getAttribute('aria-checked')).toBe('false')
    await bob.reload()
    await bob.getByText('There is no such conversation any more.').waitFor()
    await kit.close(404)
  })
}

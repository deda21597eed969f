import { it as base, page, userEvent } from '../testing/page.tsx'
import { FakeChat } from './fake-chat.test-kit.ts'

/** A test of the page with a fake chat server. */
export const it = base.extend<{ readonly chat: FakeChat }>({
  chat: async ({ server }, use) => use(new FakeChat(server)),
})

export const field = () => page.getByLabelText('Message')
export const log = () => page.getByRole('log', { name: 'Messages' })
export const answers = () => log().getByRole('article', { name: /^(?:Jarvis|scripted)/ })
export const region = (name: string) => page.getByRole('region', { name })
export const button = (name: string | RegExp) => page.getByRole('button', { name })
export const conversationList = () => page.getByRole('navigation', { name: 'Conversations' })

/** The send button, which is visible only while nothing is being answered. */
export const sendButton = () => page.getByRole('button', { name: 'Send' })

export async function write(text: string): Promise<void> {
  await field().fill(text)
  await userEvent.keyboard('{Enter}')
}

export async function pick(what: string, name: RegExp): Promise<void> {
  await button(new RegExp(`^${what}:`)).click()
  await page.getByRole('menuitemradio', { name }).click()
}

export const WIDE = [1440, 900] as const

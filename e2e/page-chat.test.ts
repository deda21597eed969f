import { conversation as conversationSchema } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, startDaemon } from './daemon.ts'
import { COUNTED } from './gated-model.ts'
import { type ChatHome, homeWithRuntimes } from './page-chat-home.ts'
import { eventually, focused, usePages } from './page-kit.ts'

const pages = usePages()
let home: ChatHome
let daemon: Daemon
beforeAll(async () => {
  home = await homeWithRuntimes()
  daemon = await startDaemon({ home: home.home })
  home.line.lead(daemon.port)
})
afterAll(async () => {
  await home?.line.close()
  await daemon?.stop()
  await home?.close()
})

const log = (page: Page) => page.getByRole('log', { name: 'Messages' })
const answers = (page: Page) => log(page).getByRole('article', { name: /^(Jarvis|scripted)/ })
const field = (page: Page) => page.getByLabel('Message', { exact: true })
const atRest = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor()
const words = async (page: Page) => (await answers(page).last().innerText()).match(/word\d+/g) ?? []
const stale = (page: Page) => page.getByText(/^Disconnected for .* the answer may be out of date/)

const openChat = (): Promise<Page> =>
  pages.open({ ...daemon, address: home.line.address }, '/chat?new=true', {
    viewport: { width: 1440, height: 900 },
  })

async function write(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await field(page).press('Enter')
}

async function pick(page: Page, what: string, name: RegExp): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${what}:`) }).click()
  await page.getByRole('menuitemradio', { name }).click()
}

/** Fetches the open conversation as the server has stored it. */
async function stored(page: Page) {
  const id = new URL(page.url()).searchParams.get('c')
  const reply = await daemon.request(`/api/conversations/${id}`)
  return conversationSchema.parse(await reply.json()).messages
}

describe('a conversation on the page with real runtimes', () => {
  it('attaches files, fails with a reason, gets an answer from an agent that asks, and is saved as a file', {
    timeout: 120_000,
  }, async () => {
    const page = await openChat()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Attach files' }).click()
    await (await chooser).setFiles([
      { name: 'import.log', mimeType: 'text/plain', buffer: Buffer.from('row 18,204 is empty') },
    ])
    await page.getByRole('list', { name: 'Attached files' }).getByText('import.log').waitFor()
    await pick(page, 'Model', /broken/)
    await write(page, 'Why is it empty?')
    const failure = log(page).getByRole('alert')
    await failure.getByText('Key refused').waitFor()
    await failure.getByText(/no such key/).waitFor()
    await failure.getByRole('button', { name: 'Other runtime' }).click()
    await page.getByRole('menuitem', { name: /scripted/ }).click()
    await page.getByRole('group', { name: 'scripted asks' }).waitFor()
    await eventually(async () => {
      if ((await focused(page))?.name === 'scripted asks') await page.keyboard.press('a')
      return home.agent.outcomes().length
    }).toBe(1)
    expect(home.agent.outcomes()).toEqual([{ outcome: 'selected', optionId: 'yes' }])
    await answers(page).getByText('It ran.').waitFor()
    await atRest(page)
    await pick(page, 'Runtime', /Jarvis/)
    await pick(page, 'Model', /talker/)
    await write(page, 'And now?')
    await answers(page).getByText('It is empty there.').waitFor()
    await atRest(page)
    expect((await stored(page)).map(({ content, runtime, status }) => [content, runtime, status])).toEqual([
      ['Why is it empty?', null, 'complete'],
      ['It ran.', 'acp:scripted', 'complete'],
      ['And now?', null, 'complete'],
      ['It is empty there.', 'jarvis', 'complete'],
    ])
    expect(JSON.stringify(home.agent.prompts())).toContain('row 18,204 is empty')
    await page
      .getByRole('region', { name: 'Context sent' })
      .getByRole('button', { name: 'Open as sent' })
      .click()
    await page
      .getByRole('dialog', { name: 'Context as sent' })
      .getByText('This section contains the earlier messages of this conversation, word for word')
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Export' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Save as Markdown' }).click()
    expect((await saved).suggestedFilename()).toBe('why-is-it-empty.md')
  })

  it('misses no word over a reload, a cut connection and a second window, and continues after Panoptes was killed', {
    timeout: 120_000,
  }, async () => {
    const page = await openChat()
    await pick(page, 'Model', /counts/)
    home.gated.allow(3)
    await write(page, 'Count.')
    await eventually(() => words(page)).toEqual(COUNTED.slice(0, 3))
    await page.reload()
    home.gated.allow(8)
    await eventually(() => words(page)).toEqual(COUNTED.slice(0, 8))
    const other = await pages.open(daemon, `/chat${new URL(page.url()).search}`)
    home.line.cut()
    await stale(page).waitFor()
    home.gated.allow(20)
    await eventually(() => words(other)).toEqual(COUNTED.slice(0, 20))
    expect(await words(page)).toEqual(COUNTED.slice(0, 8))
    home.line.mend()
    await eventually(() => words(page)).toEqual(COUNTED.slice(0, 20))
    home.gated.allow(COUNTED.length)
    for (const one of [page, other]) {
      await atRest(one)
      await eventually(() => words(one)).toEqual(COUNTED)
    }

    home.gated.allow(5)
    await write(page, 'Once more.')
    await eventually(() => words(page)).toEqual(COUNTED.slice(0, 5))
    await daemon.kill()
    await stale(page).waitFor()
    expect(await page.getByRole('main').getByRole('alert').count()).toBe(0)
    // The cookie of the browser belongs to this port.
    daemon = await startDaemon({ home: home.home, args: ['--port', String(daemon.port)] })
    const failure = log(page).getByRole('alert')
    await failure.getByText('Panoptes stopped', { exact: true }).waitFor()
    await stale(page).waitFor({ state: 'detached' })
    home.gated.allow(COUNTED.length)
    await failure.getByRole('button', { name: 'Retry' }).click()
    await eventually(() => words(page)).toEqual(COUNTED)
    await eventually(async () => (await stored(page)).map(({ status }) => status)).toEqual(
      Array.from({ length: 4 }, () => 'complete'),
    )
    // The browser complains when a connection is cut.
    await pages.closeUnheard()
  })
})

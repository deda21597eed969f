import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PastSession, Suggestion, TemplatesReply } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { addBusySession, counted } from './achievements-home.ts'
import type { TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { eventually, rows, usePages } from './page-kit.ts'
import { HOSTILE, homeWithTemplates } from './templates-home.ts'
import { addRecordedSessions, RECORDED, sayIn } from './transcripts-home.ts'

const pages = usePages()
let home: TestHome
let daemon: Daemon

const ask = async <T>(path: string): Promise<T> => (await (await daemon.request(path)).json()) as T
const listSessions = () => ask<readonly PastSession[]>('/api/past/sessions')

beforeAll(async () => {
  home = await homeWithTemplates()
  await addRecordedSessions(home)
  daemon = await startDaemon({ home })
  await vi.waitFor(async () => expect(await listSessions()).toHaveLength(RECORDED + 1), {
    timeout: 60_000,
    interval: 100,
  })
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
})

const open = (path: string): Promise<Page> =>
  pages.open(daemon, path, {
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript' })

it('shows a session from its first message until it is forgotten', async () => {
  const page = await open('/sessions')
  await eventually(() => rows(page).count()).toBe(RECORDED + 1)
  await sayIn(home, 'fresh.jsonl', 'A fresh quince')
  await eventually(() => rows(page).first().textContent()).toContain('A fresh quince')
  await rows(page).first().click()
  await transcript(page).getByText('End of the session: 1 message').waitFor()
  await sayIn(home, 'fresh.jsonl', 'And a medlar')
  await page.locator('#message-1').getByText('And a medlar').waitFor()

  const facts = page.getByRole('complementary', { name: 'Session details' })
  await facts.getByLabel('Add a tag').fill('sundry')
  await page.keyboard.press('Enter')
  await facts.getByLabel('Note', { exact: true }).fill('Two of them')
  await eventually(async () => (await listSessions()).find(({ note }) => note !== null)).toMatchObject({
    tags: ['sundry'],
    note: 'Two of them',
  })
  await page.goto(`${daemon.address}/sessions?tag=sundry`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Sundries')
  await page.getByRole('button', { name: 'Save these filters' }).click()
  await eventually(() => ask('/api/past/filters')).toEqual([{ name: 'Sundries', query: { tag: 'sundry' } }])
  await page.keyboard.press('Escape')
  await eventually(() => rows(page).count()).toBe(1)

  await rows(page).first().click()
  await page.getByRole('button', { name: 'Forget this session' }).click()
  await page.getByRole('button', { name: 'Forget', exact: true }).click()
  const forgotten = page.getByRole('dialog', { name: 'Forgotten' })
  await forgotten.getByText('messages in the index: 2', { exact: true }).waitFor()
  await forgotten.getByText('Close', { exact: true }).click()
  await page.getByRole('heading', { name: 'No matching sessions' }).waitFor()
  expect((await listSessions()).map(({ title }) => title)).not.toContain('A fresh quince')
})

it('finds a recorded message by its words, reads it, saves the search and goes to its moment in Live', async () => {
  const page = await open('/sessions')
  await rows(page).first().waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('echo merged')
  const hits = page.getByRole('list', { name: 'Search results' })
  await eventually(() => hits.locator('mark').allTextContents()).toEqual(['echo', 'merged'])
  await hits.getByRole('button').first().click()
  await transcript(page).locator('mark').first().waitFor()
  await eventually(() => page.url()).toMatch(/q=echo.*n=5/)
  const saving = page.waitForEvent('download')
  await transcript(page).getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'Save as HTML' }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toMatch(/\.html$/)
  const file = join(home.folder, 'saved.html')
  await saved.saveAs(file)
  expect(await readFile(file, 'utf8')).toMatch(/<!doctype html>.*echo merged/is)
  await transcript(page).getByRole('link', { name: 'Show in Live' }).click()
  await eventually(() => page.url()).toMatch(/\/\?session=claude-code%7E[-\w]+&at=\d+/)
  await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Live')
})

it('creates a template from a suggested session, copies it, deletes it and undoes that', async () => {
  const suggested = async () =>
    (await ask<readonly Suggestion[]>('/api/templates/suggested')).map(({ title }) => title)
  await eventually(suggested).toContain('Retry queue loses the last job')
  const page = await open('/templates')
  await page.getByText('half.json').waitFor()
  await page.getByRole('button', { name: 'Preview a template from Retry queue loses the last job' }).click()
  const dialog = page.getByRole('dialog', { name: 'Template from a session' })
  await dialog.getByText('Keeps 6 of 7 tool calls').waitFor()
  expect(await dialog.textContent()).toMatch(
    /7 turns scanned.*1 failed.*0 without a result.*1 secret removed/,
  )
  await dialog.getByLabel('Name').fill('retry_queue')
  await dialog.getByRole('button', { name: 'Create' }).click()
  const panel = page.getByRole('complementary', { name: 'Template retry_queue' })
  await panel.getByText('6 examples').waitFor()
  await panel.getByText(HOSTILE).waitFor()
  await panel.getByText('not used yet').waitFor()
  await panel.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'OpenAI messages' }).click()
  await panel.getByText('used once').waitFor()
  const stored = async () => (await ask<TemplatesReply>('/api/templates')).templates.map(({ name }) => name)
  await page.getByRole('button', { name: 'Delete retry_queue' }).click()
  await page.getByText('Deleted retry_queue').waitFor()
  await eventually(stored).toEqual(['morning'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await rows(page).filter({ hasText: 'retry_queue' }).waitFor()
  await eventually(stored).toContain('retry_queue')
  await page.getByRole('link', { name: 'Retry queue loses the last job' }).click()
  await transcript(page).getByRole('heading', { name: 'Retry queue loses the last job' }).waitFor()
})

it('announces what a new session unlocks, leads to that session, and counts again after a reset', async () => {
  await counted(daemon)
  const page = await open('/')
  await addBusySession(home, 'ea691ccd-8a96-4a2d-838e-68211d445501', 250)
  const notices = page.getByRole('region', { name: 'Notices' })
  const follow = async () => {
    await notices
      .getByText(/^Unlocked /)
      .first()
      .waitFor()
    await notices.getByRole('button', { name: 'Show' }).first().click()
  }
  // The notice disappears after some seconds, however long the scan takes.
  const [{ unlocked_count: unlocked }] = await Promise.all([counted(daemon), follow()])
  await page.getByRole('img', { name: `${unlocked} of 60 unlocked` }).waitFor()
  const cook = page.getByRole('article', { name: 'Let Him Cook', exact: true })
  await eventually(() => cook.textContent()).toMatch(/Copper.*250.*\/ 500.*A long session.*next: Silver/)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Reset achievements' }).click()
  await page
    .getByRole('dialog', { name: 'Reset achievements' })
    .getByRole('button', { name: 'Reset', exact: true })
    .click()
  await page.getByText(`Removed ${unlocked} unlocks. Recounting`).waitFor()
  await page.getByRole('img', { name: `${unlocked} of 60 unlocked` }).waitFor()
  await cook.getByRole('link', { name: 'A long session' }).first().click()
  await transcript(page).getByRole('heading', { name: 'A long session' }).waitFor()
})

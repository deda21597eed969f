import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTeam, type Team } from '../packages/engine/src/ledger/index.ts'
import {
  type OwnDatabase,
  ownDatabase,
} from '../packages/engine/src/ledger/team/postgres/database.test-kit.ts'
import { expectNothingInBothThemes, followSystem } from './axe.ts'
import { type OpenPage, openPage } from './browser.ts'
import { writeChatHome } from './chat-command-kit.ts'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { COUNTED, type GatedModel, startGated } from './gated-model.ts'
import { eventually } from './page-kit.ts'

let database: OwnDatabase
let home: TestHome
let model: GatedModel
let hub: Daemon
let team: Team
const ids: Record<string, string> = {}
const opened: OpenPage[] = []

beforeAll(async () => {
  ;[database, home, model] = await Promise.all([ownDatabase(), makeHome(), startGated()])
  model.allow(COUNTED.length)
  const made = await openTeam({ url: database.url })
  if (!made.ok) throw new Error(made.message)
  team = made.value
  await team.createSpace('blue')
  for (const [name, role] of [
    ['ada', 'admin'],
    ['bob', 'member'],
    ['eve', 'viewer'],
  ] as const) {
    const user = await team.createUser({ email: `${name}@example.org`, name })
    if (!user.ok) throw new Error(user.message)
    ids[name] = user.value.id
    await team.setRole(user.value.id, 'main', role)
  }
  await team.setRole(ids.ada ?? '', 'blue', 'member')
  await writeChatHome(home, model.url)
  hub = await startDaemon({ home, args: ['--ledger', database.url] })
})
afterAll(async () => {
  await hub?.stop()
  await team?.close()
  await model?.close()
  await database?.drop()
  await home?.remove()
})
afterEach(async () => {
  for (const one of opened.splice(0)) {
    expect(one.complaints).toEqual([])
    await one.close()
  }
})

/** A window of somebody who has typed their token. */
async function open(name: string, path = '/', options: BrowserContextOptions = {}): Promise<Page> {
  const made = await team.createToken({
    label: `${name}’s browser`,
    space: 'main',
    scope: 'full',
    role: 'admin',
    userId: ids[name] ?? null,
  })
  if (!made.ok) throw new Error(made.message)
  const one = await openPage(undefined, { permissions: ['clipboard-read', 'clipboard-write'], ...options })
  await signIn(one.page, made.value.token)
  await connected(one.page, path)
  opened.push(one)
  return one.page
}

const signIn = (page: Page, token: string) =>
  page
    .context()
    .request.post(`${hub.address}/auth/token`, { form: { token }, headers: { origin: hub.address } })

async function connected(page: Page, path: string): Promise<void> {
  await page.goto(`${hub.address}${path}`)
  await page
    .getByRole('status')
    .filter({ hasText: /^Connected$/ })
    .waitFor()
}

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const row = (page: Page, of: string, text: string) =>
  part(page, of).locator('div.px-3.py-2').filter({ hasText: text })
const clipboard = (page: Page) =>
  page.evaluate(() => {
    const scope = globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
    return scope.navigator.clipboard.readText()
  })

describe('the page of a team', () => {
  it('leads from the empty Live of a hub to sending, by what whoever looks may do', async () => {
    const ada = await open('ada')
    await ada.getByText(`npx panoptes forward --to ${hub.address} --token-file ./token`).waitFor()
    expect(await ada.getByText('Claude Code hooks').count()).toBe(0)
    await ada.getByRole('link', { name: 'Make a token' }).click()
    await part(ada, 'Tokens').waitFor()
    const eve = await open('eve')
    await eve.getByText('Ask an admin of the space for a token').waitFor()
    expect(await eve.getByRole('link', { name: 'Make a token' }).count()).toBe(0)
  })

  it('says of agents and sessions which computer they are from, once there are two', async () => {
    const made = await team.createToken({ label: 'sends', space: 'main', scope: 'ingest', role: 'member' })
    if (!made.ok) throw new Error(made.message)
    const send = async (path: string, lines: readonly object[]) => {
      const headers = { authorization: `Bearer ${made.value.token}` }
      const body = lines.map((line) => JSON.stringify(line)).join('\n')
      expect((await fetch(`${hub.address}${path}`, { method: 'POST', headers, body })).status).toBe(200)
    }
    const ts = Date.now()
    for (const host of ['desk', 'laptop']) {
      const id = `on-${host}`
      const of = { source: 'claude-code', host, session_id: id, ts }
      await send('/events', [
        { ...of, event: 'session_start', project: `of-${host}` },
        { ...of, event: 'prompt', prompt: 'Begin.' },
      ])
      const telling = { source: 'claude-code', id, telling: `t-${host}` }
      const none = { parent_id: null, model: null, ended_at: null }
      await send(`/api/transcripts?host=${host}`, [
        { type: 'begin', ...telling, fingerprint: 'f' },
        {
          type: 'messages',
          ...telling,
          at: 0,
          messages: [
            {
              ...{ id: 'm', session_id: id, role: 'user', ts, model: null, agent_id: 'main', usage: null },
              ...{ content: [{ type: 'text', text: 'Begin.' }], state: 'active', hidden: false },
            },
          ],
        },
        {
          type: 'end',
          ...telling,
          at: 1,
          session: {
            ...{
              ...none,
              source: 'claude-code',
              id,
              lineage: 'root',
              title: `Work on ${host}`,
              project: null,
            },
            ...{ cwd: null, git_branch: null, started_at: ts, last_at: ts, fingerprint: 'f' },
          },
        },
      ])
    }
    const page = await open('ada', '/?view=table')
    await page.getByRole('columnheader', { name: 'computer' }).waitFor()
    const agents = page.getByRole('treegrid')
    await agents.getByText('desk', { exact: true }).first().waitFor()
    await agents.getByText('laptop', { exact: true }).first().click()
    await page.getByText(/· on laptop ·/).waitFor()
    await page.getByRole('button', { name: /^Computer/ }).click()
    await page.getByRole('menuitemcheckbox', { name: /desk/ }).click()
    await agents.getByText('laptop', { exact: true }).first().waitFor({ state: 'detached' })
    await page.goto(`${hub.address}/sessions?host=laptop`)
    await page.getByRole('columnheader', { name: 'computer' }).waitFor()
    await page.getByRole('grid').getByText('Work on laptop').click()
    await page.getByText('Person on laptop').first().waitFor()
    expect(await page.getByText('Work on desk').count()).toBe(0)
    await page.goto(`${hub.address}/settings#team`)
    await row(page, 'Tokens', 'sends')
      .getByText(/sending events · member · sends as laptop/)
      .waitFor()
    const listed = await runCommand(home, ['sessions', 'list'])
    expect(listed.stdout).toMatch(/Work on laptop .* on laptop$/m)
    expect(listed.stdout).toMatch(/Work on desk .* on desk$/m)
    expect((await runCommand(home, ['sessions', 'list', '--host', 'desk'])).stdout).not.toContain('laptop')
    expect((await runCommand(home, ['sessions', 'show', 'on-desk'])).stdout).toMatch(/computer +desk/)
  })

  it('asks who comes for a token, and lets nobody in with a wrong one', async () => {
    const one = await openPage(`${hub.address}/`)
    const { page } = one
    await page.getByLabel(/token of your space/).fill('pan_wrong')
    await page.getByRole('button', { name: 'Sign in with a token' }).click()
    await page.getByText('This token is not good here').waitFor()
    const made = await team.createToken({ label: 'x', space: 'main', scope: 'full', role: 'viewer' })
    await page.getByLabel(/token of your space/).fill(made.ok ? made.value.token : '')
    await page.getByRole('button', { name: 'Sign in with a token' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /^Connected$/ })
      .waitFor()
    await page.getByRole('button', { name: 'Signed in as x, in the space main' }).waitFor()
    // Chromium writes the refused pages onto the console.
    expect(one.complaints.filter((said) => !said.includes('401'))).toEqual([])
    await one.close()
  })

  it('says who is signed in, goes to another space, and signs out', async () => {
    const page = await open('ada')
    await page.getByRole('button', { name: 'Signed in as ada@example.org, in the space main' }).waitFor()
    // A token is for one space: a browser that was signed in by the provider can go to others.
    const secret = await team.signIn(ids.ada ?? '', 'main', Date.now() + 600_000)
    const [cookie] = (await page.context().cookies()).filter(({ value }) => value.startsWith('pan_'))
    if (!cookie || !secret.ok) throw new Error('not signed in')
    await page.context().addCookies([{ ...cookie, value: secret.value }])
    await page.reload()
    const other = await page.context().newPage()
    await other.goto(`${new URL(page.url()).origin}/settings`)
    await other.getByRole('button', { name: 'Signed in as ada@example.org, in the space main' }).waitFor()
    await page.getByRole('button', { name: /Signed in as ada/ }).click()
    await page.getByRole('menuitem', { name: /^blue/ }).click()
    // The other tab still showed what is of another space.
    await other.getByRole('button', { name: 'Signed in as ada@example.org, in the space blue' }).waitFor()
    await other.close()
    await page.getByRole('button', { name: 'Signed in as ada@example.org, in the space blue' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Panoptes' }).waitFor()
    expect(await team.identify(secret.value)).toMatchObject({ value: { refused: 'unknown' } })
    const [last] = opened.splice(0)
    expect(last?.complaints.filter((said) => !said.includes('401'))).toEqual([])
    await last?.close()
  })

  it('has no team, and its own tokens, on a computer of one’s own', async () => {
    const alone = await startDaemon()
    const one = await openPage(alone.link)
    await one.page.goto(`${alone.address}/settings`)
    await part(one.page, 'Tokens').waitFor()
    expect(await part(one.page, 'Team').count()).toBe(0)
    expect(await one.page.getByRole('button', { name: /Signed in as/ }).count()).toBe(0)
    expect(one.complaints).toEqual([])
    await one.close()
    await alone.stop()
  })

  it('lets an admin add, change, disable and remove people, and says why where it cannot', async () => {
    const page = await open('ada', '/settings#team')
    const form = page.getByRole('form', { name: 'Add somebody' })
    await form.getByLabel('Address').fill('new@example.org')
    await form.getByLabel('Name').fill("Robert'); <b>")
    await form.getByLabel('May').selectOption('viewer')
    await form.getByRole('button', { name: 'Add' }).click()
    await page.getByText('new@example.org is added').waitFor()
    await row(page, 'People', 'new@example.org').getByText("Robert'); <b>").waitFor()
    await page.getByLabel('What new@example.org may do').selectOption('member')
    await page.getByText('new@example.org is now member').waitFor()
    await page.getByRole('button', { name: 'Disable new@example.org' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await row(page, 'People', 'new@example.org').getByText('disabled', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Enable new@example.org' }).click()
    await page.getByText('new@example.org may sign in again').waitFor()
    await page.getByRole('button', { name: 'Remove new@example.org' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Remove new@example.org' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('new@example.org is removed').waitFor()
    expect(await team.findUser({ email: 'new@example.org' })).toMatchObject({ value: { roles: {} } })
    await page.getByLabel('What ada@example.org may do').selectOption('viewer')
    await page
      .getByText(/last admin of the space/)
      .first()
      .waitFor()
    const [last] = opened.splice(0)
    expect(last?.complaints.filter((said) => !said.includes('400'))).toEqual([])
    await last?.close()
  })

  it('makes a token for somebody else to send events with, and nothing that acts as them', async () => {
    const page = await open('ada', '/settings#team')
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    const scopes = () => dialog.getByLabel(/^For/).locator('option').allTextContents()
    await dialog.getByLabel('What it is for').fill('phone of somebody')
    await dialog.getByLabel('May act as').selectOption('admin')
    await dialog.getByLabel('Whose').selectOption({ label: 'ada@example.org' })
    expect(await scopes()).toContain('the page and the command')
    await dialog.getByLabel(/^For/).selectOption('full')
    await dialog.getByLabel('Whose').selectOption({ label: 'bob@example.org' })
    expect(await scopes()).toEqual(['sending events'])
    expect(await dialog.getByLabel('May act as').locator('option').allTextContents()).not.toContain('admin')
    await dialog.getByText(/One to sign in with is made by themselves/).waitFor()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.locator('code').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await row(page, 'Tokens', 'phone of somebody')
      .getByText(/bob@example.org · sending events/)
      .waitFor()
  })

  it('lets everybody make and revoke tokens of their own, also who only reads', async () => {
    const page = await open('eve', '/settings#team')
    await part(page, 'Your tokens').getByText('eve’s browser').first().waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What it is for').fill('own script')
    await dialog.getByLabel(/^For/).selectOption('full')
    expect(await dialog.getByLabel('May act as').locator('option').allTextContents()).toEqual(['viewer'])
    expect(await dialog.getByLabel('Whose').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Create' }).click()
    const token = (await dialog.locator('code').textContent()) ?? ''
    expect(await team.identify(token)).toMatchObject({ value: { identity: { user_id: ids.eve } } })
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke own script' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('own script is revoked').waitFor()
    expect(await team.identify(token)).toMatchObject({ value: { refused: 'revoked' } })
  })

  it('shows a new token once, and revokes it after a question', async () => {
    const page = await open('ada', '/settings#team')
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What it is for').fill('build machine 7')
    await dialog.getByLabel('Ends after').selectOption('7')
    await dialog.getByLabel('What it is for').press('Enter')
    const token = (await dialog.locator('code').textContent()) ?? ''
    expect(token).toMatch(/^pan_[\w-]{43}$/)
    await dialog.getByRole('button', { name: 'Copy the token' }).click()
    await eventually(() => clipboard(page)).toBe(token)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await row(page, 'Tokens', 'build machine 7')
      .getByText(/a machine · sending events · member · ends/)
      .waitFor()
    expect(await page.content()).not.toContain(token)
    expect(await team.identify(token)).toMatchObject({ value: { identity: { scope: 'ingest' } } })
    await page.getByRole('button', { name: 'Revoke build machine 7' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('build machine 7 is revoked').waitFor()
    expect(await team.identify(token)).toMatchObject({ value: { refused: 'revoked' } })
    await part(page, 'Tokens')
      .getByText(/^\d tokens? that ended/)
      .waitFor()
  })

  it('shows what was done, by whom and what, and more of it', async () => {
    const note = (at: number) => ({
      actor: 'carol@example.org',
      user_id: null,
      token_id: null,
      space: 'main',
      action: at % 2 ? 'tokens.create' : 'users.change',
      target: `thing ${at}`,
      outcome: at === 39 ? ('refused' as const) : ('done' as const),
      address: '203.0.113.9',
    })
    await team.note(Array.from({ length: 40 }, (_, at) => note(at)))
    const page = await open('ada', '/settings#team')
    const log = part(page, 'What was done')
    await log.getByLabel('Who').fill('CAROL@example.org')
    const rows = log.locator('tbody tr')
    await eventually(() => rows.filter({ hasText: 'carol@example.org' }).count()).toBe(30)
    await log.getByText('refused').waitFor()
    await log.getByRole('button', { name: 'Show more' }).click()
    await eventually(() => rows.count()).toBe(40)
    await log.getByRole('button', { name: /^What/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'tokens' }).click()
    await eventually(() => rows.count()).toBe(20)
    await log.getByLabel('Who').fill('nobody')
    await log.getByText('Nothing matches.').waitFor()
  })

  it('tells who is no admin what they are, and shows them nobody else', async () => {
    const page = await open('eve', '/settings#team')
    await part(page, 'Team').getByText('You are viewer of the space main').waitFor()
    expect(await part(page, 'People').count()).toBe(0)
    await page.getByRole('button', { name: /Signed in as eve/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'People and tokens' }).count()).toBe(0)
  })

  it('offers nothing to somebody who only reads that would be refused', async () => {
    const page = await open('eve', '/chat')
    await page.getByText('You are viewer of the space main: what is shared can be read here.').waitFor()
    expect(await page.getByRole('textbox', { name: /^Message/ }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'New conversation' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByText('for admins', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^Check projections|^Back up/ }).count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('>')
    const offered = page.getByRole('option')
    await offered.first().waitFor()
    const said = (await offered.allTextContents()).join(' ')
    expect(said).not.toMatch(/backup|projections|template|preset|health|New conversation/i)
    await page.keyboard.press('Escape')
    // What stands on the pages: nothing that posts.
    const none = async (...names: readonly RegExp[]) => {
      const there = (await page.getByRole('button').allTextContents()).join(' | ')
      for (const name of names) expect(there).not.toMatch(name)
    }
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    await none(/Check again/)
    await page.goto(`${hub.address}/sessions`)
    await page.getByRole('grid').getByText('Work on laptop').click()
    await page.getByText('Person on laptop').first().waitFor()
    expect(await page.getByRole('textbox', { name: /tag|Note/i }).count()).toBe(0)
    await none(/template|Forget/i)
    await page.goto(`${hub.address}/sessions?host=laptop`)
    await page.getByRole('button', { name: 'More', exact: true }).first().click()
    await page.getByRole('button', { name: 'Saved', exact: true }).click()
    await page.getByRole('dialog').getByText('Members and admins of the space save filters').waitFor()
    expect(await page.getByRole('dialog').getByRole('textbox').count()).toBe(0)
    await page.goto(`${hub.address}/moa?tab=presets`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    expect(await page.getByRole('link', { name: 'Make a preset' }).count()).toBe(0)
    await page.goto(`${hub.address}/achievements`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await none(/Rescan|Count again|Read them now/)
    await page.goto(`${hub.address}/ledger?tab=skills`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await none(/Review/)
  })

  it('says what could not be read, and reads it again', async () => {
    const page = await open('ada')
    let away = true
    await page.route('**/api/team/users', (route) =>
      away
        ? route.fulfill({
            status: 503,
            json: { detail: 'The database does not answer.', next: 'Try again.' },
          })
        : route.continue(),
    )
    await page.goto(`${hub.address}/settings#team`)
    const people = part(page, 'People')
    await people.getByRole('alert').getByText('The database does not answer.').waitFor()
    away = false
    await people.getByRole('button', { name: 'Try again' }).click()
    await people.getByText('bob@example.org').waitFor()
    const [last] = opened.splice(0)
    expect(last?.complaints.filter((said) => !said.includes('503'))).toEqual([])
    await last?.close()
  })

  it('says once that the database is away, makes nothing up, and goes on by itself', async () => {
    const page = await open('ada')
    const status = page.getByRole('status')
    await status.getByText('Connected').waitFor()
    let away = true
    await page.route(
      (url) => url.pathname.startsWith('/api/') || url.pathname === '/ready',
      (route) =>
        away
          ? route.fulfill({
              status: 503,
              json: { code: 'database_away', detail: 'Away.', next: 'Wait.', away: ['database'] },
            })
          : route.continue(),
    )
    await page.getByRole('link', { name: 'Settings' }).first().click()
    const banner = status.getByText(/The database of this hub has not answered for/)
    await banner.waitFor()
    await status.getByText('Database away').waitFor()
    await page.getByText('Not known while the database of this hub is away.').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.getByText('No budget is set').count()).toBe(0)
    away = false
    await banner.waitFor({ state: 'detached' })
    await page.getByText('No budget is set').waitFor()
    await status.getByText('Connected').waitFor()
    const [last] = opened.splice(0)
    expect(last?.complaints.filter((said) => !said.includes('503'))).toEqual([])
    await last?.close()
  })

  it('says that the bus is away, and that everything but events goes on', async () => {
    const page = await open('ada', '/settings')
    await page.route('**/ready', (route) =>
      route.fulfill({ json: { ready: true, takes_events: false, away: ['bus'] } }),
    )
    await page.getByText(/The bus of this hub has not answered for .* no events are taken/).waitFor()
    await page.getByRole('status').getByText('Connected').waitFor()
    await page.unroute('**/ready')
    await page.getByText(/The bus of this hub/).waitFor({ state: 'detached' })
  })

  it('keeps a conversation to its owner until it is shared, and says who sees it', async () => {
    const ada = await open('ada', '/chat')
    await ada.getByRole('textbox', { name: /^Message/ }).fill('Where is the quokka?')
    await ada.keyboard.press('Enter')
    await ada.getByText('word60').first().waitFor()
    const share = ada.getByRole('switch', { name: /^Shared/ })
    await eventually(() => share.getAttribute('aria-checked')).toBe('false')
    await ada.getByText('Only you see it').first().waitFor()
    const bob = await open('bob', '/chat')
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
    const eve = await open('eve', '/chat')
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
    const last = opened.splice(0)
    for (const { complaints, close } of last) {
      expect(complaints.filter((said) => !said.includes('404'))).toEqual([])
      await close()
    }
  })

  it('has nothing that axe complains of, in both themes, wide and on a phone', async () => {
    const page = await open('ada', '/settings#team')
    await followSystem(page)
    await part(page, 'People').getByText('bob@example.org').waitFor()
    await expectNothingInBothThemes(page, 'team')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByRole('dialog').waitFor()
    await expectNothingInBothThemes(page, 'new token')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /Signed in as ada/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await expectNothingInBothThemes(page, 'who')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 390, height: 844 })
    await part(page, 'People').getByText('bob@example.org').waitFor()
    await expectNothingInBothThemes(page, 'team on a phone')
    const wide = await page.evaluate(() => {
      const scope = globalThis as unknown as { document: { documentElement: { scrollWidth: number } } }
      return scope.document.documentElement.scrollWidth
    })
    expect(wide).toBeLessThanOrEqual(390)
  }, 120_000)
})

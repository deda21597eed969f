import { openTeam, type Team } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type OpenPage, openPage } from './browser.ts'
import { writeChatHome } from './chat-command-kit.ts'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { COUNTED, type GatedModel, startGated } from './gated-model.ts'
import { eventually } from './page-kit.ts'
import { usePostgres } from './setup/shared-servers.ts'

usePostgres()

let database: OwnDatabase
let home: TestHome
let model: GatedModel
let hub: Daemon
let team: Team
const ids: Record<string, string> = {}
const opened: OpenPage[] = []

/**
 * A hub with the admin ada, the member bob and the viewer eve in `main`; ada is also a member of the space `blue`.
 */
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
    // Chromium logs refused requests to the console.
    expect(one.complaints.filter((text) => !/40[14]/.test(text))).toEqual([])
    await one.close()
  }
})

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const who = (page: Page, name: string, space = 'main') =>
  page.getByRole('button', { name: `Signed in as ${name}, in the space ${space}` })

async function openAs(name: string, path: string): Promise<Page> {
  const about = { label: `${name}’s browser`, space: 'main', scope: 'full', role: 'admin' } as const
  const made = await team.createToken({ ...about, userId: ids[name] ?? null })
  if (!made.ok) throw new Error(made.message)
  const one = await openPage()
  opened.push(one)
  await one.page.context().request.post(`${hub.address}/auth/token`, {
    form: { token: made.value.token },
    headers: { origin: hub.address },
  })
  await one.page.goto(`${hub.address}${path}`)
  await who(one.page, `${name}@example.org`).waitFor()
  return one.page
}

/** Sends an agent's events and messages from a computer. */
async function sendFrom(host: string, token: string): Promise<void> {
  const [id, ts] = [`on-${host}`, Date.now()]
  const send = async (path: string, lines: readonly object[]) => {
    const headers = { authorization: `Bearer ${token}` }
    const body = lines.map((line) => JSON.stringify(line)).join('\n')
    expect((await fetch(`${hub.address}${path}`, { method: 'POST', headers, body })).status).toBe(200)
  }
  const own = { source: 'claude-code', host, session_id: id, ts }
  await send('/events', [
    { ...own, event: 'session_start', project: `of-${host}` },
    { ...own, event: 'prompt', prompt: 'Begin.' },
  ])
  const telling = { source: 'claude-code', id, telling: `t-${host}` }
  const message = {
    ...{ id: 'm', session_id: id, role: 'user', ts, model: null, agent_id: 'main', usage: null },
    ...{ content: [{ type: 'text', text: 'Begin.' }], state: 'active', hidden: false },
  }
  const session = {
    ...{ source: 'claude-code', id, parent_id: null, lineage: 'root', title: `Work on ${host}` },
    ...{ project: null, cwd: null, git_branch: null, model: null, fingerprint: 'f' },
    ...{ started_at: ts, last_at: ts, ended_at: null },
  }
  await send(`/api/transcripts?host=${host}`, [
    { type: 'begin', ...telling, fingerprint: 'f' },
    { type: 'messages', ...telling, at: 0, messages: [message] },
    { type: 'end', ...telling, at: 1, session },
  ])
}

describe('the page of a team on a real hub', () => {
  it('refuses a wrong token, and shows what computers send with a token of an admin', {
    timeout: 120_000,
  }, async () => {
    const arriving = await openPage(`${hub.address}/`)
    opened.push(arriving)
    const signIn = async (token: string) => {
      await arriving.page.getByLabel(/token of your space/).fill(token)
      await arriving.page.getByRole('button', { name: 'Sign in with a token' }).click()
    }
    await signIn('pan_wrong')
    await arriving.page.getByText('This token does not work here').waitFor()
    const about = { label: 'x', space: 'main', scope: 'full', role: 'viewer' } as const
    const made = await team.createToken(about)
    await signIn(made.ok ? made.value.token : '')
    await who(arriving.page, 'x').waitFor()

    const page = await openAs('ada', '/')
    await page.getByText(`npx panoptes forward --to ${hub.address} --token-file ./token`).waitFor()
    await page.getByRole('link', { name: 'Create a token' }).click()
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('sends')
    await dialog.getByLabel('Name').press('Enter')
    const token = (await dialog.locator('code').textContent()) ?? ''
    expect(token).toMatch(/^pan_[\w-]{43}$/)
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect(await team.identify(token)).toMatchObject({ value: { identity: { scope: 'ingest' } } })
    for (const host of ['desk', 'laptop']) await sendFrom(host, token)
    await page.goto(`${hub.address}/?view=table`)
    const agents = page.getByRole('treegrid')
    await agents.getByText('desk', { exact: true }).first().waitFor()
    await agents.getByText('laptop', { exact: true }).first().waitFor()
    await page.goto(`${hub.address}/sessions?host=laptop`)
    await page.getByRole('grid').getByText('Work on laptop').click()
    await page.getByText('Person on laptop').first().waitFor()
    expect(await page.getByText('Work on desk').count()).toBe(0)

    await page.goto(`${hub.address}/settings#team`)
    await part(page, 'Tokens')
      .getByText(/a machine · sending events · member · sends as laptop/)
      .waitFor()
    await page.getByRole('button', { name: 'Revoke sends' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked sends').waitFor()
    expect(await team.identify(token)).toMatchObject({ value: { refused: 'revoked' } })
    const form = page.getByRole('form', { name: 'Add a person' })
    await form.getByLabel('Email').fill('new@example.org')
    await form.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Added new@example.org').waitFor()
    expect(await team.findUser({ email: 'new@example.org' })).toMatchObject({
      value: { roles: { main: 'member' } },
    })
    await eventually(async () => {
      await page.reload()
      await part(page, 'Audit log').locator('tbody tr').first().waitFor()
      return part(page, 'Audit log').getByText('new@example.org member').count()
    }).toBe(1)

    const list = async (...args: readonly string[]) =>
      (await runCommand(home, ['sessions', 'list', ...args])).stdout
    const all = await list()
    for (const host of ['desk', 'laptop'])
      expect(all).toMatch(new RegExp(`Work on ${host} .* on ${host}$`, 'm'))
    expect(await list('--host', 'desk')).not.toContain('laptop')
    expect((await runCommand(home, ['sessions', 'show', 'on-desk'])).stdout).toMatch(/computer +desk/)
  })

  it('shares a conversation with the space, and switches a browser with all its tabs to another space', {
    timeout: 120_000,
  }, async () => {
    const ada = await openAs('ada', '/chat')
    await ada.getByRole('textbox', { name: /^Message/ }).fill('Where is the quokka?')
    await ada.keyboard.press('Enter')
    await ada.getByText('word60').first().waitFor()
    const bob = await openAs('bob', '/chat')
    await bob.getByText('No conversations yet.').waitFor()
    await ada.getByRole('switch', { name: /^Shared/ }).click()
    await bob.getByRole('link', { name: /Where is the quokka/ }).click()
    await bob.getByText('shared by ada@example.org').waitFor()
    await bob.getByRole('button', { name: 'Fork from here' }).click()
    await bob.getByRole('textbox', { name: /^Message/ }).waitFor()
    await bob.goBack()
    await bob.getByText('shared by ada@example.org').waitFor()
    await ada.getByRole('switch', { name: /^Shared/ }).click()
    await eventually(() => ada.getByRole('switch', { name: /^Shared/ }).getAttribute('aria-checked')).toBe(
      'false',
    )
    await bob.reload()
    await bob.getByText('This conversation no longer exists.').waitFor()

    // A token belongs to one space; a browser that was signed in by the provider can switch.
    const secret = await team.signIn(ids.ada ?? '', 'main', Date.now() + 600_000)
    const [cookie] = (await ada.context().cookies()).filter(({ value }) => value.startsWith('pan_'))
    if (!cookie || !secret.ok) throw new Error('not signed in')
    await ada.context().addCookies([{ ...cookie, value: secret.value }])
    await ada.reload()
    const other = await ada.context().newPage()
    await other.goto(`${hub.address}/settings`)
    await who(other, 'ada@example.org').waitFor()
    await who(ada, 'ada@example.org').click()
    await ada.getByRole('menuitem', { name: /^blue/ }).click()
    await who(ada, 'ada@example.org', 'blue').waitFor()
    // The other tab still showed another space.
    await who(other, 'ada@example.org', 'blue').waitFor()
    await other.close()
    await who(ada, 'ada@example.org', 'blue').click()
    await ada.getByRole('menuitem', { name: 'Sign out' }).click()
    await ada.getByRole('heading', { name: 'Sign in to Panoptes' }).waitFor()
    expect(await team.identify(secret.value)).toMatchObject({ value: { refused: 'unknown' } })
  })
})

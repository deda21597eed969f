import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { eventually } from '../page-kit.ts'
import { part, row, type TeamPage } from './kit.ts'

const clipboard = (page: Page) =>
  page.evaluate(() => {
    const scope = globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
    return scope.navigator.clipboard.readText()
  })

export function describePeople(kit: TeamPage): void {
  it('lets an admin add, change, disable and remove people, and says why where it cannot', async () => {
    const page = await kit.open('ada', '/settings#team')
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
    expect(await kit.team.findUser({ email: 'new@example.org' })).toMatchObject({ value: { roles: {} } })
    await page.getByLabel('What ada@example.org may do').selectOption('viewer')
    await page
      .getByText(/last admin of the space/)
      .first()
      .waitFor()
    await kit.close(400)
  })

  it('makes a token for somebody else to send events with, and nothing that acts as them', async () => {
    const page = await kit.open('ada', '/settings#team')
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
    const page = await kit.open('eve', '/settings#team')
    await part(page, 'Your tokens').getByText('eve’s browser').first().waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What it is for').fill('own script')
    await dialog.getByLabel(/^For/).selectOption('full')
    expect(await dialog.getByLabel('May act as').locator('option').allTextContents()).toEqual(['viewer'])
    expect(await dialog.getByLabel('Whose').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Create' }).click()
    const token = (await dialog.locator('code').textContent()) ?? ''
    expect(await kit.team.identify(token)).toMatchObject({ value: { identity: { user_id: kit.ids.eve } } })
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke own script' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('own script is revoked').waitFor()
    expect(await kit.team.identify(token)).toMatchObject({ value: { refused: 'revoked' } })
  })

  it('shows a new token once, and revokes it after a question', async () => {
    const page = await kit.open('ada', '/settings#team')
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
    expect(await kit.team.identify(token)).toMatchObject({ value: { identity: { scope: 'ingest' } } })
    await page.getByRole('button', { name: 'Revoke build machine 7' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('build machine 7 is revoked').waitFor()
    expect(await kit.team.identify(token)).toMatchObject({ value: { refused: 'revoked' } })
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
    await kit.team.note(Array.from({ length: 40 }, (_, at) => note(at)))
    const page = await kit.open('ada', '/settings#team')
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
}

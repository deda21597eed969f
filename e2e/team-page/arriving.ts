import { expect, it } from 'vitest'
import { openPage } from '../browser.ts'
import { startDaemon } from '../daemon.ts'
import { part, type TeamPage } from './kit.ts'

export function describeArriving(kit: TeamPage): void {
  it('leads from the empty Live of a hub to sending, by what whoever looks may do', async () => {
    const ada = await kit.open('ada')
    await ada.getByText(`npx panoptes forward --to ${kit.hub.address} --token-file ./token`).waitFor()
    expect(await ada.getByText('Claude Code hooks').count()).toBe(0)
    await ada.getByRole('link', { name: 'Make a token' }).click()
    await part(ada, 'Tokens').waitFor()
    const eve = await kit.open('eve')
    await eve.getByText('Ask an admin of the space for a token').waitFor()
    expect(await eve.getByRole('link', { name: 'Make a token' }).count()).toBe(0)
  })

  it('asks who comes for a token, and lets nobody in with a wrong one', async () => {
    const one = await openPage(`${kit.hub.address}/`)
    const { page } = one
    await page.getByLabel(/token of your space/).fill('pan_wrong')
    await page.getByRole('button', { name: 'Sign in with a token' }).click()
    await page.getByText('This token is not good here').waitFor()
    const made = await kit.team.createToken({ label: 'x', space: 'main', scope: 'full', role: 'viewer' })
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
    const page = await kit.open('ada')
    await page.getByRole('button', { name: 'Signed in as ada@example.org, in the space main' }).waitFor()
    // A token is for one space: a browser that was signed in by the provider can go to others.
    const secret = await kit.team.signIn(kit.ids.ada ?? '', 'main', Date.now() + 600_000)
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
    expect(await kit.team.identify(secret.value)).toMatchObject({ value: { refused: 'unknown' } })
    await kit.close(401)
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
}

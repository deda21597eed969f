import { expect, it } from 'vitest'
import { part, type TeamPage } from './kit.ts'

export function describeViewers(kit: TeamPage): void {
  it('tells who is no admin what they are, and shows them nobody else', async () => {
    const page = await kit.open('eve', '/settings#team')
    await part(page, 'Team').getByText('You are viewer of the space main').waitFor()
    expect(await part(page, 'People').count()).toBe(0)
    await page.getByRole('button', { name: /Signed in as eve/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'People and tokens' }).count()).toBe(0)
  })

  it('offers nothing to somebody who only reads that would be refused', async () => {
    const page = await kit.open('eve', '/chat')
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
    await kit.visit(page, '/sessions')
    await page.getByRole('grid').getByText('Work on laptop').click()
    await page.getByText('Person on laptop').first().waitFor()
    expect(await page.getByRole('textbox', { name: /tag|Note/i }).count()).toBe(0)
    await none(/template|Forget/i)
    await kit.visit(page, '/sessions?host=laptop')
    await page.getByRole('button', { name: 'More', exact: true }).first().click()
    await page.getByRole('button', { name: 'Saved', exact: true }).click()
    await page.getByRole('dialog').getByText('Members and admins of the space save filters').waitFor()
    expect(await page.getByRole('dialog').getByRole('textbox').count()).toBe(0)
    await kit.visit(page, '/moa?tab=presets')
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    expect(await page.getByRole('link', { name: 'Make a preset' }).count()).toBe(0)
    await kit.visit(page, '/achievements')
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await none(/Rescan|Count again|Read them now/)
    await kit.visit(page, '/ledger?tab=skills')
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await none(/Review/)
  })
}

import { expect, it } from 'vitest'
import { expectNothingInBothThemes, followSystem } from '../axe.ts'
import { part, type TeamPage } from './kit.ts'

export function describeAxe(kit: TeamPage): void {
  it('has nothing that axe complains of, in both themes, wide and on a phone', async () => {
    const page = await kit.open('ada', '/settings#team')
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
}

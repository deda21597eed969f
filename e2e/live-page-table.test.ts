import { describe, expect, it } from 'vitest'
import { expectNothingInBothThemes, followSystem, goWithin } from './axe.ts'
import { alive, panel, phone, rowsOf, table, useLive } from './live-kit.ts'
import { eventually } from './page-kit.ts'

const live = useLive()

describe('the table of Live', () => {
  it('has Needs you on top and every session as a tree', async () => {
    const page = await live.open('/?view=table')
    await eventually(async () => (await rowsOf(page))[0]).toContain('Needs you')
    const rows = table(page).locator('tbody tr')
    const levels = () => rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-level')))
    await eventually(levels).toEqual(['1', '2', '1', '2', '3', '4', '3'])
    expect((await rowsOf(page)).join('\n')).toContain('listed under Needs you')
    await rows.filter({ hasText: 'reader' }).click()
    await panel(page).getByRole('heading', { name: 'reader' }).waitFor()
  })

  it('is walked through by the arrows', async () => {
    const page = await live.open('/?view=table')
    await eventually(async () => (await rowsOf(page)).length).toBe(7)
    await table(page).focus()
    const chosen = () => panel(page).getByRole('heading', { level: 2 }).textContent()
    await page.keyboard.press('ArrowDown')
    await eventually(chosen).toBe('writer')
    await page.keyboard.press('j')
    await eventually(chosen).toBe('main')
    await page.keyboard.press('k')
    await eventually(chosen).toBe('writer')
    const active = await table(page).getAttribute('aria-activedescendant')
    expect(await page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true')
  })

  it('filters by state, project and model', async () => {
    const page = await live.open('/?view=table')
    await eventually(async () => (await rowsOf(page)).length).toBeGreaterThan(4)
    await page.getByRole('button', { name: /^Waiting 1/ }).click()
    await eventually(async () => (await rowsOf(page)).join()).not.toContain('reader')
    expect((await rowsOf(page)).join()).toContain('writer')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(async () => (await rowsOf(page)).join()).toContain('reader')
    await page.goto(`${live.daemon().address}/?model=opus`)
    await eventually(() => alive(page)).toBe(1)
  })

  for (const [width, options] of [
    ['wide', {}],
    ['narrow', phone],
  ] as const)
    it(`has nothing axe complains of, folded, open and filtered, ${width}, dark and light`, async () => {
      const page = await live.open('/?view=table', options)
      await followSystem(page)
      for (const path of [
        '/?view=table',
        '/?view=table&agent=claude-code~s1~r',
        '/?view=table&state=waiting',
      ]) {
        await goWithin(page, path)
        await eventually(() => panel(page).count()).toBe(path.includes('agent=') ? 1 : 0)
        await eventually(async () => (await rowsOf(page)).some((row) => row.includes('reader'))).toBe(
          !path.includes('waiting'),
        )
        expect((await rowsOf(page)).join()).toContain('writer')
        await expectNothingInBothThemes(page, path)
      }
      await page.getByRole('button', { name: 'Fold atlas-api' }).click()
      await eventually(async () => (await rowsOf(page)).length).toBe(3)
      await expectNothingInBothThemes(page, 'folded')
    })
})

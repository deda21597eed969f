import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addBusySession, counted } from './achievements-home.ts'
import { BUSY, card, useAchievements } from './achievements-page.ts'
import { axe, expectNothingInBothThemes, followSystem } from './axe.ts'
import { colorAt, eventually } from './page-kit.ts'

const BUSIER = 'ea691ccd-8a96-4a2d-838e-68211d445502'
const here = useAchievements()
const { open } = here
const names = (page: Page) => page.getByRole('article').getByRole('heading').allTextContents()

describe('the achievements', () => {
  it('stand as they were counted, and are narrowed and put in order by the address', async () => {
    const { achievements } = await counted(here.daemon)
    const page = await open('/achievements')
    await eventually(() => page.getByRole('article').count()).toBe(60)
    const unlocked = achievements.filter((item) => item.unlocked)
    await page.getByRole('img', { name: `${unlocked.length} of 60 unlocked` }).waitFor()
    const cook = card(page, 'Let Him Cook')
    expect(await cook.textContent()).toMatch(
      /Let Him Cook.*Copper.*250.*\/ 500.*A long session.*next: Silver/,
    )
    await page.locator('label', { hasText: 'Unlocked' }).click()
    await eventually(() => names(page)).toHaveLength(unlocked.length)
    await page.getByRole('button', { name: /^Agent Autonomy/ }).click()
    await page.getByRole('button', { name: 'Sort: closest first' }).click()
    await page.getByRole('menuitem', { name: 'Name' }).click()
    const expected = unlocked.filter(({ category }) => category === 'Agent Autonomy').map(({ name }) => name)
    await eventually(() => names(page)).toEqual(expected.toSorted())
    expect(page.url()).toMatch(/category=Agent(%20|\+)Autonomy&state=unlocked&sort=name/)
    await page.reload()
    await eventually(() => names(page)).toEqual(expected.toSorted())
  })

  it('say what counts, when each tier was reached, and lead to the session that shows it', async () => {
    const page = await open('/achievements?sort=name')
    const cook = card(page, 'Let Him Cook')
    await cook.getByRole('button', { name: 'What counts: Let Him Cook' }).click()
    await cook.getByText('Tool calls in one session: Copper 200').waitFor()
    await eventually(() =>
      cook.getByRole('list', { name: 'When each tier was reached' }).textContent(),
    ).toMatch(/^Copper\d+ \w+/)
    expect(await card(page, 'Full Send').textContent()).toContain('best so far: ')
    const recent = page.getByRole('region', { name: 'Recent unlocks' })
    expect(await recent.getByRole('link', { name: 'A long session' }).count()).toBeGreaterThan(0)
    await cook.getByRole('link', { name: 'A long session' }).first().click()
    await page
      .getByRole('region', { name: 'Transcript' })
      .getByRole('heading', { name: 'A long session' })
      .waitFor()
    expect(page.url()).toContain(BUSY)
  })

  it('are those of Hermes alone where someone asks for it', async () => {
    const page = await open('/achievements')
    await card(page, 'Let Him Cook').getByText('Copper', { exact: true }).waitFor()
    await page.locator('label', { hasText: 'Hermes only' }).click()
    await card(page, 'Let Him Cook').getByText('Not yet').waitFor()
    expect(page.url()).toContain('source=hermes')
  })

  it('are laid out only where someone looks', async () => {
    const page = await open('/achievements?sort=catalogue')
    const drawn = () =>
      page.getByRole('article').evaluateAll((cards) => {
        const isDrawn = (one: unknown) =>
          (one as { checkVisibility(how: object): boolean }).checkVisibility({ contentVisibilityAuto: true })
        return cards.map((one) => isDrawn(one.querySelector('h3')))
      })
    await eventually(async () => (await drawn())[0]).toBe(true)
    await eventually(async () => (await drawn()).at(-1)).toBe(false)
    await page.getByRole('article').last().scrollIntoViewIfNeeded()
    await eventually(async () => (await drawn()).at(-1)).toBe(true)
  })

  it('are worked by keys alone', async () => {
    const page = await open('/achievements?sort=name&category=Agent Autonomy')
    await page.getByRole('article').first().waitFor()
    const focused = () => page.locator(':focus').getByRole('heading').textContent()
    const [first, second] = await names(page)
    await page.keyboard.press('j')
    await eventually(focused).toBe(first)
    await page.keyboard.press('j')
    await eventually(focused).toBe(second)
    await page.keyboard.press('o')
    await card(page, second ?? '')
      .getByRole('region', { name: /^What counts/ })
      .waitFor()
    await page.keyboard.press('k')
    await eventually(focused).toBe(first)
  })
})

describe('a picture to share', () => {
  it('is a PNG of 1200 by 630 in the colours of the theme', async () => {
    const page = await open('/achievements', { permissions: ['clipboard-read', 'clipboard-write'] })
    await card(page, 'Let Him Cook')
      .getByRole('button', { name: /^Share card/ })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Share card' })
    await dialog.getByRole('img', { name: 'Picture of Let Him Cook, 1200 × 630' }).waitFor()
    const saving = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download PNG' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('panoptes-let_him_cook.png')
    const file = join(here.home.folder, 'shared.png')
    await saved.saveAs(file)
    const png = await readFile(file)
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1_200, 630])
    expect(await colorAt(page.locator('canvas'), 20, 20)).toEqual([0x0f, 0x17, 0x2a])
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Copy picture' }).click()
    await page.getByText('Copied the picture').waitFor()
    expect(
      await page.evaluate(async () => {
        const scope = globalThis as unknown as {
          navigator: { clipboard: { read(): Promise<readonly { readonly types: readonly string[] }[]> } }
        }
        return (await scope.navigator.clipboard.read()).flatMap(({ types }) => types)
      }),
    ).toContain('image/png')
  })
})

describe('what is unlocked', () => {
  it('is said as it happens, on any page, and shown from there', async () => {
    await counted(here.daemon)
    const page = await open('/')
    await addBusySession(here.home, BUSIER, 520)
    await counted(here.daemon)
    const notice = page.getByRole('region', { name: 'Notices' })
    await notice
      .getByText(/^Unlocked /)
      .first()
      .waitFor()
    await notice.getByRole('button', { name: 'Show' }).first().click()
    await eventually(() => page.url()).toContain('/achievements?sort=newest')
    await card(page, 'Let Him Cook').getByText('Silver', { exact: true }).waitFor()
  })

  it('is taken away when someone confirms it, and counted anew', async () => {
    const { unlocked_count: before } = await counted(here.daemon)
    const page = await open('/achievements')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Reset achievements' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reset achievements' })
    await dialog.getByText('This cannot be undone.').waitFor()
    await dialog.getByRole('button', { name: 'Reset', exact: true }).click()
    await page.getByText(`Removed ${before} unlocks. Counting anew`).waitFor()
    await page.getByRole('img', { name: `${before} of 60 unlocked` }).waitFor()
  })
})

describe('in every theme and width', () => {
  it('has nothing that a screen reader or a weak eye would stumble over', async () => {
    await counted(here.daemon)
    // A few of each state: that there are sixty of them makes no difference but time.
    const page = await open('/achievements?sort=name&category=Agent Autonomy')
    await followSystem(page)
    await card(page, 'Let Him Cook')
      .getByRole('button', { name: /^What counts/ })
      .click()
    await expectNothingInBothThemes(page, 'wide')
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(390)
    await expectNothingInBothThemes(page, 'narrow')
  })
})

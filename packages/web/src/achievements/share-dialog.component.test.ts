import { describe, expect, vi } from 'vitest'
import { chooseTheme } from '../shell/theme.ts'
import { eventually, expectAccessible, it, page } from '../testing/page.tsx'
import { achievementsReply, catalogue } from './achievements.test-kit.ts'

const dialog = page.getByRole('dialog', { name: 'Share card' })

describe('the share dialog', () => {
  it('saves and copies a 1200 × 630 PNG in the colors of the theme', async ({ server, open }) => {
    server.on('GET /api/achievements', achievementsReply(catalogue()))
    await open('/achievements')
    await page
      .getByRole('article', { name: 'Let Him Cook' })
      .getByRole('button', { name: 'Share card: Let Him Cook' })
      .click()
    await expect.element(dialog.getByRole('img', { name: 'Image of Let Him Cook, 1200 × 630' })).toBeVisible()
    const corner = () => [
      ...(document.querySelector('canvas')?.getContext('2d')?.getImageData(20, 20, 1, 1).data ?? []),
    ]
    await eventually(corner).toEqual([0x0f, 0x17, 0x2a, 255])
    await expectAccessible()
    const saved: HTMLAnchorElement[] = []
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      saved.push(this)
    })
    await dialog.getByRole('button', { name: 'Download PNG' }).click()
    await eventually(() => saved.map(({ download }) => download)).toEqual(['panoptes-let_him_cook.png'])
    click.mockRestore()
    const file = await (await fetch(saved[0]?.href ?? '')).blob()
    const picture = await createImageBitmap(file)
    expect([file.type, picture.width, picture.height]).toEqual(['image/png', 1_200, 630])
    const write = vi.spyOn(navigator.clipboard, 'write')
    await dialog.getByRole('button', { name: 'Copy image' }).click()
    await expect.element(page.getByText('Copied the image')).toBeVisible()
    expect(write.mock.calls.flatMap(([items]) => items.flatMap(({ types }) => types))).toEqual(['image/png'])
    write.mockRestore()
    await dialog.getByRole('combobox').selectOptions('Done 0 · Copper')
    await expect.element(dialog.getByRole('img', { name: 'Image of Done 0, 1200 × 630' })).toBeVisible()
    chooseTheme('light')
    await eventually(corner).not.toEqual([0x0f, 0x17, 0x2a, 255])
  })
})

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { alive, dayOfAgents, panel, useLive } from './live-kit.ts'
import { eventually } from './page-kit.ts'

const { day, start } = dayOfAgents()
const live = useLive(day)

describe('the scrubber', () => {
  const momentOf = (page: Page) => page.getByRole('slider', { name: 'Moment' }).getAttribute('aria-valuetext')

  it('goes back to any moment and shows what the server says of it', async () => {
    for (const after of [500, 1_500, 2_500, 10_000, 30_000]) {
      const at = start + after
      const page = await live.open(`/?at=${at}`)
      await page.getByText(/^Replay at /).waitFor()
      await eventually(() => alive(page)).toBe(await live.aliveAt(at))
    }
  })

  it('jumps to what happened, steps, and comes back to live', async () => {
    const page = await live.open()
    await eventually(() => alive(page)).toBe(3)
    await eventually(async () => {
      await page.keyboard.press('w')
      return page.getByText(/^Replay at /).count()
    }).toBe(1)
    await eventually(() => alive(page)).toBe(await live.aliveAt(start + 20_000))
    await page.keyboard.press(',')
    await eventually(() => alive(page)).toBe(await live.aliveAt(start + 4_000))
    await page.keyboard.press('.')
    await page.keyboard.press('l')
    await page.getByText(/^Replay at /).waitFor({ state: 'detached' })
    await eventually(() => momentOf(page)).toBe('now, live')
    await eventually(() => alive(page)).toBe(3)
  })

  it('plays at the speed it is told, and shows counters and panel as of the moment', async () => {
    const page = await live.open(`/?at=${start + 2_500}&agent=claude-code~s1~r`)
    await panel(page)
      .getByText(/^as of /)
      .waitFor()
    expect(await panel(page).textContent()).toContain('Tool calls0')
    await page.keyboard.press(']')
    await page.keyboard.press(']')
    await page.getByText(/· 4×/).waitFor()
    await page.keyboard.press('Space')
    await eventually(async () => (await panel(page).textContent())?.includes('Tool calls1')).toBe(true)
    await page.keyboard.press('Space')
    await page.getByText(/^tool calls of these \d agents$/).waitFor()
    await page.getByText('just ended').waitFor()
  })

  it('follows the pointer and the keys of a slider, and keeps the moment in the address', async () => {
    const page = await live.open()
    const slider = page.getByRole('slider', { name: 'Moment' })
    const box = await slider.boundingBox()
    if (!box) throw new Error('no scrubber')
    await page.mouse.click(box.x + box.width / 2, box.y + 30)
    await page.getByText(/^Replay at /).waitFor()
    await eventually(() => page.url()).toContain('at=')
    const [before, address] = [await momentOf(page), page.url()]
    await slider.focus()
    await page.keyboard.press('ArrowLeft')
    await eventually(() => momentOf(page)).not.toBe(before)
    const kept = await momentOf(page)
    await eventually(() => page.url()).not.toBe(address)
    await page.reload()
    await eventually(() => momentOf(page)).toBe(kept)
    await slider.focus()
    await page.keyboard.press('End')
    await eventually(() => momentOf(page)).toBe('now, live')
    await eventually(() => page.url()).not.toContain('at=')
  })
})

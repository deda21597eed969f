import { describe, expect } from 'vitest'
import { eventually, expectAccessible, go, page, userEvent } from '../../testing/page.tsx'
import { conversation, message } from '../chat.test-kit.ts'
import { button, it, log, region } from '../chat-page.test-kit.ts'

/** The given number of messages from the end of two thousand. */
const long = (count: number) =>
  conversation('long', {
    title: 'A long one',
    runtime: 'jarvis',
    messages: Array.from({ length: 2_000 }, (_, n) =>
      message(`m${n}`, n % 2 === 0 ? 'user' : 'assistant', {
        content:
          n % 2 === 0 ? `Question ${n}` : `Answer ${n}\n\n- one\n- two\n\n\`\`\`ts\nconst a = ${n}\n\`\`\``,
        runtime: n % 2 === 0 ? null : n % 10 === 9 ? 'acp:scripted' : 'jarvis',
        ts: Date.now() - (2_000 - n) * 60_000,
      }),
    ).slice(-count),
  })

const isInView = (text: string) => {
  const box = log().element().getBoundingClientRect()
  const own = log().getByText(text).query()?.getBoundingClientRect()
  return own !== undefined && own.bottom > box.top && own.top < box.bottom
}

describe('A long conversation', () => {
  it('opens at its end and renders only nearby messages while scrolling', async ({ open, chat }) => {
    chat.add(long(2_000))
    await open('/chat?c=long')
    await eventually(() => isInView('Answer 1999')).toBe(true)
    const drawn = () => log().getByRole('article').elements().length
    expect(drawn()).toBeLessThan(200)
    const frame = () => new Promise<number>((done) => requestAnimationFrame(done))
    let before = await frame()
    let slowest = 0
    for (let n = 0; n < 15; n += 1) {
      log().element().scrollTop -= 900
      const now = await frame()
      slowest = Math.max(slowest, now - before)
      before = now
    }
    expect(slowest).toBeLessThan(5_000)
    expect(drawn()).toBeLessThan(300)
    expect(isInView('Answer 1999')).toBe(false)
    await button('Scroll to end').click()
    await eventually(() => isInView('Answer 1999')).toBe(true)
  })

  it('opens at the message in the address', async ({ open, chat }) => {
    chat.add(long(2_000))
    await open('/chat?c=long&m=m801')
    await eventually(() => isInView('Answer 801')).toBe(true)
    await go('/chat?c=long&m=m1401')
    await eventually(() => isInView('Answer 1401')).toBe(true)
  })

  it('shows where another runtime continues and how many messages it received', async ({ open, chat }) => {
    chat.add(long(12))
    await open('/chat?c=long')
    const line = log().getByText('scripted continues from here. It received 8 messages.')
    await expect.element(line).toBeVisible()
  })

  it('fits a phone, with the list and the panel over the messages', async ({ open, chat }) => {
    chat.add(long(12))
    await open('/chat?c=long')
    await page.viewport(390, 844)
    await button('All conversations').click()
    const drawer = page.getByRole('dialog', { name: 'Conversations' })
    await expect.element(drawer.getByRole('link').first()).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('{Escape}')
    await button('Plan and context').click()
    await expect.element(region('Context sent')).toBeVisible()
    await expectAccessible()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(innerWidth)
  })
})

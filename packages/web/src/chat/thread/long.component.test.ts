import { describe, expect } from 'vitest'
import { eventually, expectAccessible, go, page, userEvent } from '../../testing/page.tsx'
import { conversation, message } from '../chat.test-kit.ts'
import { button, it, log, region } from '../chat-page.test-kit.ts'

/** The last so many of two thousand messages. */
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
  it('opens at its end, draws only what is near, and is scrolled without a hitch', async ({ open, chat }) => {
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
    await button('To the end').click()
    await eventually(() => isInView('Answer 1999')).toBe(true)
  })

  it('opens at the message that its address names', async ({ open, chat }) => {
    chat.add(long(2_000))
    await open('/chat?c=long&m=m801')
    await eventually(() => isInView('Answer 801')).toBe(true)
    await go('/chat?c=long&m=m1401')
    await eventually(() => isInView('Answer 1401')).toBe(true)
  })

  it('says where another runtime went on, and how much it was given', async ({ open, chat }) => {
    chat.add(long(12))
    await open('/chat?c=long')
    const line = log().getByText('scripted goes on from here. It was given 8 messages.')
    await expect.element(line).toBeVisible()
  })

  it('fits a phone: list and panel come over the messages, and nothing is cut off', async ({
    open,
    chat,
  }) => {
    chat.add(long(12))
    await open('/chat?c=long')
    await page.viewport(390, 844)
    await button('All conversations').click()
    const drawer = page.getByRole('dialog', { name: 'Conversations' })
    await expect.element(drawer.getByRole('link').first()).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('{Escape}')
    await button('Plan and what was sent').click()
    await expect.element(region('What was sent')).toBeVisible()
    await expectAccessible()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(innerWidth)
  })
})

import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page } from '../testing/page.tsx'

describe('The navigation bar of a phone', () => {
  it('has four pages, and the other pages under More', async ({ server, open }) => {
    // The content of the opened page does not matter here.
    server.on('GET /api/templates', () => new Promise(() => {}))
    await open('/', [390, 844])
    const bar = page.getByRole('navigation', { name: 'Pages' })
    await eventually(() =>
      bar
        .getByRole('link')
        .elements()
        .map((link) => link.getAttribute('href')),
    ).toEqual(['/', '/sessions', '/ledger', '/chat'])
    await bar.getByRole('button', { name: 'More' }).click()
    const more = page.getByRole('dialog', { name: 'More pages' })
    await expect.element(more).toBeVisible()
    expect(
      more
        .getByRole('link')
        .elements()
        .map((link) => link.getAttribute('href')),
    ).toEqual(['/achievements', '/templates', '/moa', '/settings'])
    await expectAccessible()
    await more.getByRole('link', { name: /^Templates/ }).click()
    await eventually(() => location.pathname).toBe('/templates')
    await eventually(() => more.elements().length).toBe(0)
  })
})

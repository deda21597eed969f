import { describe, expect } from 'vitest'
import { expectAccessible, it, page } from '../testing/page.tsx'
import { answerSettings } from './settings.test-kit.ts'

const section = page.getByRole('region', { name: 'Tokens', exact: true })
const TOKEN = 'pn_ing_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'

describe('Tokens in Settings', () => {
  it('are copied without being shown', async ({ server, open, copied }) => {
    answerSettings(server)
    server.on('POST /api/tokens/ingest/reveal', { scope: 'ingest', token: TOKEN })
    await open('/settings#tokens')
    await expect.element(section.getByText('pn_ing_…9c0d')).toBeVisible()
    await section.getByRole('button', { name: 'Copy the ingest token' }).click()
    await expect.element(page.getByText('Copied the ingest token')).toBeVisible()
    expect(copied()).toBe(TOKEN)
    expect(document.documentElement.outerHTML).not.toContain(TOKEN)
  })

  it('show the terminal command that confirms the copy of a full token', async ({ server, open, copied }) => {
    answerSettings(server)
    const detail = 'To show the full token in this browser, run in a terminal: panoptes confirm K7Q-4MD'
    server.fail('POST /api/tokens/full/reveal', 403, { detail })
    await open('/settings#tokens')
    await section.getByRole('button', { name: 'Copy the full token' }).click()
    await expect.element(section.getByText(detail)).toBeVisible()
    server.on('POST /api/tokens/full/reveal', { scope: 'full', token: TOKEN })
    await section.getByRole('button', { name: 'Copy the full token' }).click()
    await expect.element(page.getByText('Copied the full token')).toBeVisible()
    await expect.element(section.getByText(detail)).not.toBeInTheDocument()
    expect(copied()).toBe(TOKEN)
  })

  it('list the signed-in browsers and sign one out', async ({ server, open }) => {
    answerSettings(server)
    const at = Date.now() - 3 * 86_400_000
    const own = { id: 'a1', browser: 'Firefox on Linux', made_at: at, used_at: Date.now(), current: true }
    const other = { id: 'b2', browser: 'Safari on macOS', made_at: at, used_at: at, current: false }
    server.on('GET /api/browsers', { browsers: [own, other] })
    await open('/settings#tokens')
    await section.getByRole('button', { name: 'Show', exact: true }).click()
    await expect.element(section.getByText('Firefox on Linux (this browser)')).toBeVisible()
    await expect.element(section.getByText(/^signed in .*, last used/).first()).toBeVisible()
    await expectAccessible()
    server.on('DELETE /api/browsers/b2', { revoked: 1 })
    server.on('GET /api/browsers', { browsers: [own] })
    await section.getByRole('button', { name: 'Sign out Safari on macOS' }).click()
    await expect.element(section.getByText('Safari on macOS')).not.toBeInTheDocument()
    expect(server.requestsTo('DELETE /api/browsers/b2')).toHaveLength(1)
  })

  it('are rotated only after confirmation', async ({ server, open }) => {
    answerSettings(server)
    server.on('POST /api/tokens/full/rotate', { scope: 'full', token: TOKEN })
    await open('/settings#tokens')
    const rotate = section.getByRole('button', { name: 'Rotate the full token' })
    await rotate.click()
    const dialog = page.getByRole('dialog', { name: 'Rotate the full token?' })
    await expect.element(dialog.getByText(/signs out other browsers and scripts/)).toBeVisible()
    await expectAccessible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(server.requestsTo('POST /api/tokens/full/rotate')).toEqual([])
    await rotate.click()
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
    await expect.element(page.getByText('Rotated the full token')).toBeVisible()
    expect(server.requestsTo('POST /api/tokens/full/rotate')).toHaveLength(1)
  })

  it('show why a rotation failed', async ({ server, open }) => {
    answerSettings(server)
    server.fail('POST /api/tokens/gateway/rotate', 500, { detail: 'The file cannot be written.' })
    await open('/settings#tokens')
    await section.getByRole('button', { name: 'Rotate the gateway token' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click()
    await expect.element(page.getByText('The file cannot be written.')).toBeVisible()
  })
})

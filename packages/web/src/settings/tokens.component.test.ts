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
    await expect.element(page.getByText('The ingest token is copied')).toBeVisible()
    expect(copied()).toBe(TOKEN)
    expect(document.documentElement.outerHTML).not.toContain(TOKEN)
  })

  it('are rotated only after it was confirmed', async ({ server, open }) => {
    answerSettings(server)
    server.on('POST /api/tokens/full/rotate', { scope: 'full', token: TOKEN })
    await open('/settings#tokens')
    const rotate = section.getByRole('button', { name: 'Rotate the full token' })
    await rotate.click()
    const dialog = page.getByRole('dialog', { name: 'Rotate the full token?' })
    await expect.element(dialog.getByText(/are signed out at once/)).toBeVisible()
    await expectAccessible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(server.requestsTo('POST /api/tokens/full/rotate')).toEqual([])
    await rotate.click()
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
    await expect.element(page.getByText('The full token is new')).toBeVisible()
    expect(server.requestsTo('POST /api/tokens/full/rotate')).toHaveLength(1)
  })

  it('say why one could not be rotated', async ({ server, open }) => {
    answerSettings(server)
    server.fail('POST /api/tokens/gateway/rotate', 500, { detail: 'The file cannot be written.' })
    await open('/settings#tokens')
    await section.getByRole('button', { name: 'Rotate the gateway token' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click()
    await expect.element(page.getByText('The file cannot be written.')).toBeVisible()
  })
})

import type { AchievementsReply } from '@panoptes/schema'
import { rescanInput } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { eventually, expectAccessible, go, it, page, pressNow } from '../testing/page.tsx'
import { achievementsReply, catalogue, scanMeta, scanStatus, uncounted } from './achievements.test-kit.ts'

const cards = () => document.querySelectorAll('article').length
const button = (name: string) => page.getByRole('button', { name, exact: true })
const running = (done: number, total: number) => scanStatus({ state: 'running', progress: { done, total } })
const rescanned = { ok: true, run_id: 'r2', status: scanStatus({ state: 'running' }) } as const

describe('an achievements scan', () => {
  it('shows its progress, then the sessions read so far, then the complete numbers', async ({
    server,
    open,
    passTime,
  }) => {
    const status = running(1_234, 5_025)
    let reply: AchievementsReply = uncounted({}, status)
    server.on('GET /api/achievements', () => reply)
    await open('/achievements')
    await expect.element(page.getByRole('heading', { name: 'No achievements yet' })).toBeVisible()
    await expect
      .element(page.getByRole('progressbar', { name: 'Read 1,234 of 5,025 sessions' }))
      .toBeVisible()
    const next = async (answer: AchievementsReply, look: () => unknown) => {
      reply = answer
      await eventually(() => {
        passTime(700)
        return look()
      }).toBe(true)
    }
    const said = (words: string) => document.body.textContent?.includes(words)
    await next(
      achievementsReply(catalogue(), {
        scan_meta: scanMeta({
          mode: 'in_progress',
          sessions_total: 5_025,
          sessions_scanned_so_far: 1_234,
          status,
        }),
      }),
      () => said('Read 1,234 of 5,025 sessions. These numbers cover the sessions read so far.'),
    )
    expect(cards()).toBe(16)
    await next(
      achievementsReply(catalogue(), { is_stale: true, scan_meta: scanMeta({ status: running(2, 3) }) }),
      () => said('Counting new sessions'),
    )
    await expect
      .element(page.getByRole('status').filter({ hasText: 'Counting new sessions' }))
      .toMatchTextContent(/2 \/ 3/)
    await expect.element(button('Rescan')).toBeDisabled()
    await next(achievementsReply(catalogue()), () => !said('Counting new sessions'))
    await expect.element(page.getByText(/^41 sessions read · counted/)).toBeVisible()
    await expect.element(button('Rescan')).toBeEnabled()
  })

  it('starts from the button when nothing was counted yet', async ({ server, open }) => {
    let isCounted = false
    server
      .on('GET /api/achievements', () => (isCounted ? achievementsReply(catalogue()) : uncounted()))
      .on('POST /api/rescan', () => {
        isCounted = true
        return rescanned
      })
    await open('/achievements')
    await button('Scan your sessions').click()
    await eventually(cards).toBe(16)
  })

  it('shows why the first scan failed, the progress of the retry and its result', async ({
    server,
    open,
    passTime,
  }) => {
    const error = 'The database is locked.'
    let reply = uncounted({ error }, scanStatus({ state: 'failed', last_error: error }))
    server
      .on('GET /api/achievements', () => reply)
      .on('POST /api/rescan', () => {
        reply = uncounted({ error }, running(3, 9))
        return rescanned
      })
    await open('/achievements')
    const alert = page.getByRole('alert').filter({ hasText: error })
    await expect.element(alert).toBeVisible()
    await expectAccessible()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await expect.element(alert.getByText('Recounting')).toBeVisible()
    await expect.element(page.getByRole('progressbar', { name: 'Read 3 of 9 sessions' })).toBeVisible()
    reply = achievementsReply(catalogue())
    await eventually(() => {
      passTime(700)
      return cards()
    }).toBe(16)
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('shows why the server refused the request and retries on request', async ({ server, open }) => {
    server.fail('GET /api/achievements', 503, { detail: 'The sessions are being moved.' })
    await open('/achievements')
    const alert = page
      .getByRole('alert')
      .filter({ hasText: 'Couldn’t count your sessions. The sessions are being moved.' })
    await expect.element(alert).toBeVisible()
    server.on('GET /api/achievements', achievementsReply(catalogue())).on('POST /api/rescan', rescanned)
    pressNow(alert.getByRole('button', { name: 'Try again' }))
    await eventually(cards).toBe(16)
  })

  it('without Hermes sessions leaves the switch to all sources visible', async ({ server, open }) => {
    server.on('GET /api/achievements', ({ query }) =>
      query.get('source') === 'hermes'
        ? achievementsReply(catalogue(), {
            view: 'hermes',
            unlocked_count: 0,
            scan_meta: scanMeta({ sessions_total: 0 }),
          })
        : achievementsReply(catalogue()),
    )
    await open('/achievements')
    await page.getByText('Hermes only').click()
    await expect.element(page.getByText(/^No Hermes sessions found yet\./)).toBeVisible()
    await expectAccessible()
    await page.getByText('All sources').click()
    await eventually(cards).toBe(16)
  })

  it('that fails keeps the earlier numbers with their age and offers a retry', async ({ server, open }) => {
    let reply = achievementsReply(catalogue(), {
      generated_at: Date.now() / 1_000 - 900,
      error: 'The database is locked.',
      scan_meta: scanMeta({ status: scanStatus({ state: 'failed' }) }),
    })
    server.on('GET /api/achievements', () => reply).on('POST /api/rescan', rescanned)
    const sent = () => server.requestsTo('POST /api/rescan').map(({ body }) => rescanInput.parse(body))
    await open('/achievements')
    const alert = page.getByRole('alert').filter({ hasText: 'The database is locked.' })
    await expect.element(alert).toMatchTextContent(/These numbers are from 15 min ago\./)
    expect(cards()).toBe(16)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await eventually(sent).toEqual([{ full: false, source: 'all' }])
    await button('More').click()
    await page.getByRole('menuitem', { name: 'Rescan everything' }).click()
    await eventually(() => sent().at(-1)).toEqual({ full: true, source: 'all' })
    const skipped = [{ place: '/home/dev/.hermes/state.db', reason: 'is damaged' }]
    const scan_meta = scanMeta({ error: 'One database is damaged.', skipped })
    reply = achievementsReply(catalogue(), { is_stale: true, scan_meta })
    await button('Rescan').click()
    await expect
      .element(page.getByText('Couldn’t count some sessions. One database is damaged.'))
      .toBeVisible()
    await button('Show details').click()
    await expect.element(page.getByText('/home/dev/.hermes/state.db')).toBeVisible()
  })

  it('sends one completed request, however fast someone switches between pages', async ({ server, open }) => {
    server.on('GET /api/achievements', achievementsReply(catalogue()))
    await open('/')
    for (const path of ['/achievements', '/', '/achievements', '/', '/achievements']) await go(path)
    await eventually(cards).toBe(16)
    await go('/')
    await go('/achievements')
    await eventually(cards).toBe(16)
    const answered = server.requestsTo('GET /api/achievements').filter(({ signal }) => !signal.aborted)
    expect(answered.map(({ query }) => query.toString())).toEqual(['source=all&wait=0'])
  })
})

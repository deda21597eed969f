import type { AchievementsReply } from '@panoptes/schema'
import { rescanInput } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { eventually, expectAccessible, go, it, page, pressNow } from '../testing/page.tsx'
import { achievementsReply, catalogue, scanMeta, scanStatus, uncounted } from './achievements.test-kit.ts'

const cards = () => document.querySelectorAll('article').length
const button = (name: string) => page.getByRole('button', { name, exact: true })
const running = (done: number, total: number) => scanStatus({ state: 'running', progress: { done, total } })
const rescanned = { ok: true, run_id: 'r2', status: scanStatus({ state: 'running' }) } as const

describe('counting achievements', () => {
  it('shows how far it is, what is known so far, and then everything', async ({ server, open, passTime }) => {
    const status = running(1_234, 5_025)
    let reply: AchievementsReply = uncounted({}, status)
    server.on('GET /api/achievements', () => reply)
    await open('/achievements')
    await expect.element(page.getByRole('heading', { name: 'Read your sessions' })).toBeVisible()
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
      () => said('Read 1,234 of 5,025 sessions. What is shown counts what was read so far.'),
    )
    expect(cards()).toBe(16)
    await next(
      achievementsReply(catalogue(), { is_stale: true, scan_meta: scanMeta({ status: running(2, 3) }) }),
      () => said('Counting what is new'),
    )
    await expect
      .element(page.getByRole('status').filter({ hasText: 'Counting what is new' }))
      .toMatchTextContent(/2 \/ 3/)
    await expect.element(button('Rescan')).toBeDisabled()
    await next(achievementsReply(catalogue()), () => !said('Counting what is new'))
    await expect.element(page.getByText(/^41 sessions read · counted/)).toBeVisible()
    await expect.element(button('Rescan')).toBeEnabled()
  })

  it('is begun by the button where nothing was counted yet', async ({ server, open }) => {
    let isCounted = false
    server
      .on('GET /api/achievements', () => (isCounted ? achievementsReply(catalogue()) : uncounted()))
      .on('POST /api/rescan', () => {
        isCounted = true
        return rescanned
      })
    await open('/achievements')
    await button('Read your sessions').click()
    await eventually(cards).toBe(16)
  })

  it('says why it failed at first, how another try goes, and what comes of it', async ({
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
    await expect.element(alert.getByText('Counting again')).toBeVisible()
    await expect.element(page.getByRole('progressbar', { name: 'Read 3 of 9 sessions' })).toBeVisible()
    reply = achievementsReply(catalogue())
    await eventually(() => {
      passTime(700)
      return cards()
    }).toBe(16)
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('says why the server refused it, and reads it when it is asked to', async ({ server, open }) => {
    server.fail('GET /api/achievements', 503, { detail: 'The sessions are being moved.' })
    await open('/achievements')
    const alert = page
      .getByRole('alert')
      .filter({ hasText: 'The sessions could not be counted. The sessions are being moved.' })
    await expect.element(alert).toBeVisible()
    server.on('GET /api/achievements', achievementsReply(catalogue())).on('POST /api/rescan', rescanned)
    pressNow(alert.getByRole('button', { name: 'Try again' }))
    await eventually(cards).toBe(16)
  })

  it('that finds none of the chosen sessions leaves the others in reach', async ({ server, open }) => {
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
    await expect.element(page.getByText(/^No session of Hermes was found yet\./)).toBeVisible()
    await expectAccessible()
    await page.getByText('All sources').click()
    await eventually(cards).toBe(16)
  })

  it('that fails leaves what was counted before, with its age, and another try', async ({ server, open }) => {
    let reply = achievementsReply(catalogue(), {
      generated_at: Date.now() / 1_000 - 900,
      error: 'The database is locked.',
      scan_meta: scanMeta({ status: scanStatus({ state: 'failed' }) }),
    })
    server.on('GET /api/achievements', () => reply).on('POST /api/rescan', rescanned)
    const sent = () => server.requestsTo('POST /api/rescan').map(({ body }) => rescanInput.parse(body))
    await open('/achievements')
    const alert = page.getByRole('alert').filter({ hasText: 'The database is locked.' })
    await expect.element(alert).toMatchTextContent(/What is shown is from 15 min ago\./)
    expect(cards()).toBe(16)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await eventually(sent).toEqual([{ full: false, source: 'all' }])
    await button('More').click()
    await page.getByRole('menuitem', { name: 'Read everything again' }).click()
    await eventually(() => sent().at(-1)).toEqual({ full: true, source: 'all' })
    const skipped = [{ place: '/home/dev/.hermes/state.db', reason: 'is damaged' }]
    const scan_meta = scanMeta({ error: 'One database is damaged.', skipped })
    reply = achievementsReply(catalogue(), { is_stale: true, scan_meta })
    await button('Rescan').click()
    await expect
      .element(page.getByText('Some sessions could not be counted. One database is damaged.'))
      .toBeVisible()
    await button('Show which').click()
    await expect.element(page.getByText('/home/dev/.hermes/state.db')).toBeVisible()
  })

  it('is asked for once, however fast someone comes and goes', async ({ server, open }) => {
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

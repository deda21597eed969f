import { achievementsQuery } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { eventually, expectAccessible, go, it, page, userEvent } from '../testing/page.tsx'
import { me } from '../testing/replies.ts'
import { achievementsReply, catalogue, cook } from './achievements.test-kit.ts'

const WIDE = [1440, 900] as const
const card = (name: string) => page.getByRole('article', { name, exact: true })
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const names = () => [...document.querySelectorAll('article h3')].map((heading) => heading.textContent)

describe('the achievements page', () => {
  it('shows all counts, then filters and sorts by the address', async ({ server, open }) => {
    const items = catalogue()
    server.on('GET /api/achievements', achievementsReply(items))
    await open('/achievements', WIDE)
    await eventually(() => names().length).toBe(16)
    await expect.element(page.getByRole('img', { name: '3 of 16 unlocked' })).toBeVisible()
    await expect
      .element(page.getByRole('heading', { name: '3 unlocked, 8 discovered, 5 secret' }))
      .toBeVisible()
    await expect.element(page.getByText(/^41 sessions read · counted .* ago$/)).toBeVisible()
    await expect
      .element(card('Let Him Cook'))
      .toMatchTextContent(/Let Him Cook.*Copper.*250 \/ 500.*A long session.*next: Silver/)
    await page.getByText('Unlocked', { exact: true }).click()
    await eventually(() => names().length).toBe(3)
    await button(/^Agent Autonomy/).click()
    await button('Sort: closest first').click()
    await page.getByRole('menuitem', { name: 'Name' }).click()
    const expected = items
      .filter((one) => one.unlocked && one.category === 'Agent Autonomy')
      .map(({ name }) => name)
    await eventually(names).toEqual(expected.toSorted())
    await expect
      .poll(() => location.search)
      .toMatch(/^\?category=Agent(%20|\+)Autonomy&state=unlocked&sort=name$/)
    await go('/achievements?category=Nothing')
    await expect.element(page.getByRole('heading', { name: 'No matching achievements' })).toBeVisible()
    await button('Show all').click()
    await eventually(() => names().length).toBe(16)
  })

  it('shows the criteria, the date of each tier and a link to the evidence session', async ({
    server,
    open,
  }) => {
    server.on('GET /api/achievements', achievementsReply(catalogue()))
    await open('/achievements?sort=name', WIDE)
    await card('Let Him Cook').getByRole('button', { name: 'What counts: Let Him Cook' }).click()
    await expect
      .element(card('Let Him Cook').getByText(/Tool calls in one session: Copper 200/))
      .toBeVisible()
    await expect
      .element(card('Let Him Cook').getByRole('list', { name: 'When each tier was reached' }))
      .toMatchTextContent(/^Copper(today|\d+ \w+)/i)
    await expect.element(card('Full Send')).toMatchTextContent(/best so far: A long session/)
    await expect.element(card('All Round')).toMatchTextContent(/Met:web 12\/ 10Not yet:edits 3\/ 10/)
    const link = { name: 'A long session' }
    await expect
      .element(page.getByRole('region', { name: 'Recent unlocks' }).getByRole('link', link))
      .toBeVisible()
    await expect
      .element(card('Let Him Cook').getByRole('link', link).first())
      .toHaveAttribute('href', '/sessions?session=claude-code%7Ebusy')
  })

  it('shows only Hermes achievements after Hermes only is chosen', async ({ server, open }) => {
    const hermes = [
      cook({ unlocked: false, state: 'discovered', tier: null, progress: 30, next_tier: 'Copper' }),
    ]
    server.on('GET /api/achievements', ({ query }) => {
      const { source, wait } = achievementsQuery.parse(Object.fromEntries(query))
      expect(wait).toBe(false)
      return achievementsReply(source === 'hermes' ? hermes : catalogue(), { view: source })
    })
    await open('/achievements')
    await expect.element(card('Let Him Cook').getByText('Copper', { exact: true })).toBeVisible()
    await page.getByText('Hermes only').click()
    await expect.element(card('Let Him Cook').getByText('Not yet')).toBeVisible()
    await expect.poll(() => location.search).toBe('?source=hermes')
  })

  it('lays out a card only when it is scrolled into view', async ({ server, open }) => {
    server.on('GET /api/achievements', achievementsReply(catalogue(52)))
    await open('/achievements?sort=catalogue')
    const isDrawn = (at: number) =>
      [...document.querySelectorAll('article')]
        .at(at)
        ?.querySelector('h3')
        ?.checkVisibility({ contentVisibilityAuto: true })
    await eventually(() => isDrawn(0)).toBe(true)
    await eventually(() => isDrawn(-1)).toBe(false)
    ;[...document.querySelectorAll('article')].at(-1)?.scrollIntoView()
    await eventually(() => isDrawn(-1)).toBe(true)
  })

  it('supports keyboard navigation, details and rescan', async ({ server, open }) => {
    server
      .on('GET /api/achievements', achievementsReply(catalogue()))
      .on('POST /api/rescan', { ok: true, run_id: 'r2' })
    await open('/achievements?sort=name&category=Agent Autonomy')
    await expect.element(card('Let Him Cook')).toBeInTheDocument()
    const focused = () => document.activeElement?.querySelector('h3')?.textContent
    const [first, second = ''] = names()
    await userEvent.keyboard('j')
    await eventually(focused).toBe(first)
    await userEvent.keyboard('j')
    await eventually(focused).toBe(second)
    await userEvent.keyboard('o')
    await expect
      .element(card(second).getByRole('region', { name: `What counts: ${second}` }))
      .toBeInTheDocument()
    await userEvent.keyboard('k')
    await eventually(focused).toBe(first)
    await userEvent.keyboard('r')
    await eventually(() => server.requestsTo('POST /api/rescan').map(({ body }) => body)).toEqual([
      { full: false, source: 'all' },
    ])
  })

  it('passes axe and does not scroll sideways at desktop and phone width', async ({ server, open }) => {
    server.on('GET /api/achievements', achievementsReply(catalogue()))
    await open('/achievements?sort=name', WIDE)
    await card('Let Him Cook')
      .getByRole('button', { name: /^What counts/ })
      .first()
      .click()
    await expectAccessible()
    await page.viewport(390, 844)
    await eventually(() => document.documentElement.scrollWidth).toBe(390)
    await expectAccessible()
  })

  it('hides rescan and reset from a team viewer', async ({ server, open }) => {
    server
      .on('GET /api/achievements', achievementsReply(catalogue()))
      .on('GET /api/me', me({ team: true, role: 'viewer', home: false }))
    await open('/achievements')
    await expect.element(card('Let Him Cook')).toBeInTheDocument()
    await expect.element(button('Rescan')).not.toBeInTheDocument()
    await expect.element(button('More')).not.toBeInTheDocument()
  })
})

describe('achievement unlocks', () => {
  it('announces an unlock on any page and links to the newest achievements', async ({ server, open }) => {
    let cooked = cook()
    server.on('GET /api/achievements', () => achievementsReply([cooked, ...catalogue().slice(1)]))
    await open('/')
    cooked = cook({ tier: 'Silver', progress: 520, next_tier: null, next_threshold: null })
    server.stream.send({ type: 'unlocked', view: 'all', achievements: [cooked] })
    const notices = page.getByRole('region', { name: 'Notices' })
    await expect.element(notices.getByText('Unlocked Let Him Cook, Silver')).toBeVisible()
    await notices.getByRole('button', { name: 'Show' }).click()
    await eventually(() => location.pathname + location.search).toBe('/achievements?sort=newest')
    await expect.element(card('Let Him Cook').getByText('Silver', { exact: true })).toBeVisible()
  })

  it('updates the visible card when an unlock arrives', async ({ server, open }) => {
    let cooked = cook()
    server.on('GET /api/achievements', () => achievementsReply([cooked]))
    await open('/achievements')
    await expect.element(card('Let Him Cook').getByText('Copper', { exact: true })).toBeVisible()
    cooked = cook({ tier: 'Silver', progress: 520, next_tier: null, next_threshold: null })
    server.stream.send({ type: 'unlocked', view: 'all', achievements: [cooked] })
    await expect.element(card('Let Him Cook').getByText('Silver', { exact: true })).toBeVisible()
  })

  it('resets unlocks only after confirmation', async ({ server, open }) => {
    server
      .on('GET /api/achievements', achievementsReply(catalogue()))
      .on('POST /api/achievements/reset', { ok: true, unlocks_removed: 14 })
    await open('/achievements')
    const dialog = page.getByRole('dialog', { name: 'Reset achievements' })
    const start = async () => {
      await button('More').click()
      await page.getByRole('menuitem', { name: 'Reset achievements' }).click()
      await expect.element(dialog.getByText(/You can’t undo this\./)).toBeVisible()
    }
    await start()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await start()
    expect(server.requestsTo('POST /api/achievements/reset')).toEqual([])
    await dialog.getByRole('button', { name: 'Reset', exact: true }).click()
    await expect.element(page.getByText('Removed 14 unlocks. Recounting')).toBeVisible()
    expect(server.requestsTo('POST /api/achievements/reset').map(({ body }) => body)).toEqual([
      { confirm: 'reset', source: 'all' },
    ])
  })
})

import { isAlive } from '@panoptes/schema/reading'
import { describe, expect } from 'vitest'
import * as f from '../../format.ts'
import { eventually, go, it, page, userEvent } from '../../testing/page.tsx'
import { type Day, LiveServer, panel, replayBadge, shownAgents, slider } from '../live-page.test-kit.ts'

const aliveAt = (day: Day, after: number): number =>
  day.agentsAt(day.start + after).filter((one) => isAlive(one.state)).length

const moment = () => slider.element().getAttribute('aria-valuetext')
const address = () => new URLSearchParams(location.search).get('at')

describe('the scrubber', () => {
  it('shows the agents of the moment in the address', async ({ server, open }) => {
    const { day } = new LiveServer(server)
    await open(`/?at=${day.start + 500}`)
    for (const after of [500, 1_500, 2_500, 10_000, 30_000]) {
      await go(`/?at=${day.start + after}`)
      await eventually(() =>
        server
          .requestsTo('GET /api/replay')
          .some(({ query }) => query.get('at') === String(day.start + after)),
      ).toBe(true)
      await eventually(shownAgents).toBe(aliveAt(day, after))
      await eventually(moment).toBe(f.clock(day.start + after))
    }
    await expect.element(replayBadge).toBeVisible()
  })

  it('jumps to marks, steps between events and returns to live', async ({ server, open }) => {
    const { day } = new LiveServer(server)
    await open('/')
    await eventually(shownAgents).toBe(3)
    await eventually(async () => {
      // It leads nowhere until the marks were read.
      await page.getByRole('button', { name: 'Jump to wait' }).click()
      return moment()
    }).toBe(f.clock(day.start + 20_000))
    await eventually(shownAgents).toBe(aliveAt(day, 20_000))
    await userEvent.keyboard('W')
    await userEvent.keyboard(',')
    await eventually(moment).toBe(f.clock(day.start + 4_000))
    await userEvent.keyboard(',')
    await eventually(moment).toBe(f.clock(day.start + 3_500))
    await userEvent.keyboard('.')
    await eventually(moment).toBe(f.clock(day.start + 4_000))
    await userEvent.keyboard('x')
    await eventually(moment).toBe(f.clock(day.start + 59_000))
    await userEvent.keyboard('S')
    await eventually(moment).toBe(f.clock(day.start + 4_000))
    await userEvent.keyboard('l')
    await expect.element(replayBadge).not.toBeInTheDocument()
    await eventually(moment).toBe('now, live')
    await eventually(shownAgents).toBe(3)
  })

  it('plays at the chosen speed with totals and panel of the moment', async ({ server, open, passTime }) => {
    const { day } = new LiveServer(server)
    await open(`/?at=${day.start + 2_500}&agent=claude-code~s1~r`)
    await expect.element(panel.getByText(/^as of /)).toBeVisible()
    await eventually(() => panel.element().textContent).toContain('Tool calls0')
    await userEvent.keyboard(']')
    await userEvent.keyboard(']')
    await expect.element(page.getByText(/· 4×/)).toBeVisible()
    await userEvent.keyboard(' ')
    passTime(250)
    // Time passes also while something is waited for.
    await userEvent.keyboard(' ')
    await eventually(moment).toBe(f.clock(day.start + 3_500))
    await eventually(() => panel.element().textContent).toContain('Tool calls1')
    passTime(10_000)
    await eventually(moment).toBe(f.clock(day.start + 3_500))
    await expect.element(page.getByText('tool call of these 3 agents')).toBeVisible()
    await expect.element(page.getByText('just ended')).toBeVisible()
  })

  it('follows the pointer and slider keys and keeps the moment in the address', async ({ server, open }) => {
    new LiveServer(server)
    await open('/')
    await eventually(shownAgents).toBe(3)
    const { width } = slider.element().getBoundingClientRect()
    await slider.click({ position: { x: width / 2, y: 30 } })
    await expect.element(replayBadge).toBeVisible()
    const halfAnHourAgo = Date.now() - 1_800_000
    await eventually(() => Math.abs(Number(address()) - halfAnHourAgo)).toBeLessThan(60_000)
    const before = Number(address())
    ;(slider.element() as HTMLElement).focus()
    await userEvent.keyboard('{ArrowLeft}')
    await eventually(() => Number(address()) - before).toBe(-3_600_000 / 160)
    expect(moment()).toBe(f.clock(Number(address())))
    await userEvent.keyboard('{End}')
    await eventually(moment).toBe('now, live')
    await eventually(address).toBe(null)
  })

  it('requests the chosen time range', async ({ server, open }) => {
    new LiveServer(server)
    await open('/')
    await page.getByRole('button', { name: 'Time range: Last hour' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Last 15 min' }).click()
    await eventually(() => {
      const query = server.requestsTo('GET /api/timeline').at(-1)?.query
      return Number(query?.get('to')) - Number(query?.get('from'))
    }).toBe(900_000)
  })

  it('reports a moment that cannot be loaded', async ({ server, open }) => {
    const { day } = new LiveServer(server)
    server.fail('GET /api/replay', 500, { detail: 'The store is locked.' })
    await open(`/?at=${day.start + 500}`)
    await expect.element(page.getByRole('alert').getByText('Couldn’t load this moment.')).toBeVisible()
  })
})

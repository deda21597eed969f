import type { MoaTurn, PresetsReply } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { crowdedTurn, record, slotsReply, turnReply, turns } from '../packages/web/src/moa/moa.test-kit.ts'
import { axe, expectNothingInBothThemes, followSystem, goWithin } from './axe.ts'
import { phone } from './live-kit.ts'
import { SHARED } from './moa-home.ts'
import { eventually, type WindowOptions } from './page-kit.ts'
import { block, useMoa } from './page-moa-kit.ts'

const { pages, models, open, ask, run } = useMoa()

describe('presets', () => {
  it('are made with the server’s words for what is wrong, tried, deleted and taken back', async () => {
    const page = await open('/moa?tab=presets&make=1')
    await page.getByLabel('Name', { exact: true }).fill('mine')
    await page.getByLabel('Reference A, model').fill('small')
    await page.getByRole('button', { name: 'Remove reference B' }).click()
    await page.getByLabel('Enough answers').fill('most')
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isEnabled()).toBe(false)
    await page.getByLabel('Aggregator, model').fill('acts')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('must be a whole number').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByLabel('Enough answers').fill('1')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved mine').waitFor()
    await page.getByRole('heading', { name: 'moa/mine' }).waitFor()
    await page.getByLabel('Question').fill('Shall we?')
    await page.getByRole('button', { name: 'Try it' }).click()
    await block(page, 'Answer').getByText(SHARED).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Deleted mine').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('mine is back').waitFor()
    const { presets } = await ask<PresetsReply>('/api/moa/presets')
    expect(presets.find(({ name }) => name === 'mine')?.preset.quorum).toBe(1)
    // The browser says so when a request is refused.
    await pages.closeUnheard()
  })

  it('are stopped while they are tried, and every call with them', async () => {
    const page = await open('/moa?tab=presets&open=slow')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('1 of 2 references answered').waitFor()
    const left = models().left.length
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped. What had come by then is kept.').waitFor()
    await eventually(() => models().left.length).toBeGreaterThan(left)
  })
})

describe('the list', () => {
  it('shows turns that run now with bars that grow, and keeps them when they are over', async () => {
    const page = await open('/moa')
    const ends = run('slow', 'take your time')
    const now = block(page, 'Running now')
    await now.getByText('take your time').waitFor()
    await now
      .getByRole('row')
      .filter({ hasText: 'local:slow' })
      .filter({ hasText: 'works' })
      .waitFor({ state: 'attached' })
    await ends
    await eventually(() => now.count()).toBe(0)
    await page.getByRole('row').filter({ hasText: 'take your time' }).waitFor()
  })

  it('is narrowed by preset', async () => {
    await run('shaky', 'What now?')
    const page = await open('/moa')
    await page.getByRole('button', { name: /^Preset/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'shaky' }).click()
    await eventually(() => page.url()).toContain('preset=shaky')
    await eventually(() => page.getByRole('row').count()).toBe(2)
    await block(page, 'Last 50 turns of moa/shaky').waitFor()
  })
})

/** The page as it is with eight references, twenty calls and two hundred turns. */
async function openCrowded(options: WindowOptions = {}, failing: RegExp | null = null): Promise<Page> {
  const turn = crowdedTurn()
  const page = await open(`/moa?turn=${turn.id}`, {
    ...options,
    first: (window) => answer(window, turn, failing),
  })
  await block(page, 'What it said').waitFor()
  return page
}

async function answer(page: Page, turn: MoaTurn, failing: RegExp | null): Promise<void> {
  const records = Array.from({ length: 20 }, (_, i) => record(turn, i + 1, i < 19 ? { output: '' } : {}))
  const all = turns(200)
  await page.route(/\/api\/moa\/turns\?/, (route) => {
    const query = new URL(route.request().url()).searchParams
    const offset = Number(query.get('offset') ?? 0)
    const limit = Number(query.get('limit') ?? 50)
    return route.fulfill({ json: { total: all.length, turns: all.slice(offset, offset + limit) } })
  })
  await page.route(/\/api\/moa\/turns\/3f2a/, (route) =>
    route.fulfill({ json: { ...turnReply(turn), records } }),
  )
  await page.route(/\/api\/moa\/slots/, (route) => route.fulfill({ json: slotsReply(turn) }))
  if (failing)
    await page.route(failing, (route) =>
      route.fulfill({
        status: 500,
        json: { detail: 'The ledger cannot be read.', next: 'See panoptes doctor.' },
      }),
    )
}

describe('in every theme and width', () => {
  it('has nothing that a screen reader or a weak eye would stumble over', async () => {
    const page = await openCrowded()
    await followSystem(page)
    await block(page, 'What it said').waitFor()
    expect(await block(page, 'References').getByRole('listitem').count()).toBe(8)
    expect(await block(page, 'How long each took').getByRole('row').count()).toBe(1 + 8 + 20)
    await expectNothingInBothThemes(page, 'turn')
    await goWithin(page, '/moa')
    await page.getByText('50 of 200').waitFor()
    await expectNothingInBothThemes(page, 'list')
    await goWithin(page, '/moa?tab=presets')
    await page.getByRole('heading', { name: 'moa/review' }).waitFor()
    await expectNothingInBothThemes(page, 'presets')
  })

  it('fits a phone: columns scroll in their row, the page does not', async () => {
    const page = await openCrowded(phone)
    const drawn = await page.locator('html').evaluate((html) => [html.scrollWidth, html.scrollHeight])
    expect(drawn).toEqual([phone.viewport.width, phone.viewport.height])
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('navigation', { name: 'More pages' }).getByRole('link', { name: /^MoA/ }).waitFor()
  })

  it('loses one card where one thing cannot be read, and no more', async () => {
    await run('review', 'What are the figures?')
    const page = await openCrowded({}, /\/api\/moa\/slots/)
    const failed = block(page, 'Last 50 turns of moa/review').getByRole('alert')
    await failed.getByText('The ledger cannot be read. See panoptes doctor.').waitFor()
    await page.unroute(/\/api\/moa\/slots/)
    await failed.getByRole('button', { name: 'Try again' }).click()
    await block(page, 'Last 50 turns of moa/review').getByText('p50').first().waitFor()
    await pages.closeUnheard()
  })
})

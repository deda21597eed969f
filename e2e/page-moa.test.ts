import type { MoaTurn, PresetsReply, TurnReply } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ScriptedServer } from '../packages/engine/src/models/providers/scripted.test-kit.ts'
import { crowdedTurn, record, slotsReply, turnReply, turns } from '../packages/web/src/moa/moa.test-kit.ts'
import { axe, expectNothingInBothThemes, followSystem } from './axe.ts'
import type { TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { phone } from './live-kit.ts'
import { HOSTILE, homeWithModels, SHARED, scriptModels } from './moa-home.ts'
import { eventually, usePages, type WindowOptions } from './page-kit.ts'

const pages = usePages()
let home: TestHome
let models: ScriptedServer
let daemon: Daemon

beforeAll(async () => {
  ;({ home, models } = await homeWithModels())
  daemon = await startDaemon({ home })
})
beforeEach(() => scriptModels(models))
afterAll(async () => {
  await daemon?.stop()
  await models?.close()
  await home?.remove()
})

const open = (path: string, options: WindowOptions = {}): Promise<Page> =>
  pages.open(daemon, path, { viewport: { width: 1440, height: 900 }, ...options })
const ask = async <T>(path: string): Promise<T> => (await (await daemon.request(path)).json()) as T
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
const block = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const reference = (page: Page, place: number) => block(page, 'References').getByRole('listitem').nth(place)

/** Runs a preset to its end, as the page does. */
async function run(preset: string, prompt: string): Promise<MoaTurn> {
  const answer = await daemon.request('/api/moa/run', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ preset, prompt }),
  })
  const last = (await answer.text()).trim().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { readonly turn: MoaTurn }).turn
}

/** What a client of the gateway sends. */
async function chat(session: string, messages: readonly object[]): Promise<void> {
  const answer = await fetch(`${daemon.address}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${await daemon.token('gateway')}`,
      'x-panoptes-session-id': session,
    },
    body: JSON.stringify({ model: 'moa/review', messages }),
  })
  expect(answer.status).toBe(200)
  await answer.text()
}

const switchTraces = (save: boolean) =>
  daemon.request('/api/moa/traces', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ save }),
  })

describe('before the first turn', () => {
  it('offers a preset to try, one key away, and shows the whole turn when it is over', async () => {
    const page = await open('/settings')
    await page.keyboard.press('6')
    await eventually(() => heading(page)).toBe('MoA')
    await page.getByText('The preset review is ready.').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByLabel('Question').fill('Is it safe to drop invoice_totals?')
    await page.getByRole('button', { name: 'Try it' }).click()
    await eventually(() => page.url()).toContain('turn=')
    await page.getByText('Is it safe to drop invoice_totals?').first().waitFor()
    await reference(page, 1).getByText('Yes. It is safe when nothing reads it.').waitFor()
  })

  it('says what was found on this computer where there is no preset, with a config to copy', async () => {
    const page = await open('/settings')
    const reply = await ask<PresetsReply>('/api/moa/presets')
    await page.route(/\/api\/moa\/presets$/, (route) => route.fulfill({ json: { ...reply, presets: [] } }))
    await page.route(/\/api\/moa\/turns/, (route) => route.fulfill({ json: { total: 0, turns: [] } }))
    await page.keyboard.press('6')
    await page.getByText('There is no preset yet').waitFor()
    await block(page, 'Found on this computer').getByText('local', { exact: true }).waitFor()
    await block(page, 'For config.yaml').getByRole('button', { name: 'Copy' }).waitFor()
    await page.getByRole('link', { name: 'Make a preset' }).click()
    await page.getByRole('heading', { name: 'New preset' }).waitFor()
  })
})

describe('a turn', () => {
  it('shows what every model was asked and said, with what the answer shares underlined and lettered', async () => {
    const { id } = await run('review', 'May it be dropped?')
    const page = await open(`/moa?turn=${id}`)
    const said = block(page, 'What it said')
    await said.getByText(SHARED, { exact: true }).waitFor()
    await said.getByText('That is likeness, not proof of origin.').waitFor()
    expect(await said.locator('sup').first().textContent()).toBe('A')
    const saw = block(page, 'What the aggregator saw')
    await saw.getByText('Guidance, added by MoA').click()
    await saw.getByText('Reference 1 — local:small').waitFor()
    await saw.getByRole('button', { name: 'Raw' }).click()
    await saw.getByText('"messages"').waitFor()
    await block(page, 'Last 50 turns of moa/review').getByText('p50').first().waitFor()
    // Agent text is only ever text.
    await reference(page, 0).getByText(HOSTILE).waitFor()
    expect(await page.title()).toBe('MoA · Panoptes')
  })

  it('keeps the column of a reference that failed, with the reason', async () => {
    const { id } = await run('shaky', 'What now?')
    const page = await open(`/moa?turn=${id}`)
    await reference(page, 1).getByText('key refused').waitFor()
    await reference(page, 1)
      .getByText(/no such key/)
      .waitFor()
    expect(await reference(page, 1).locator('dd').allTextContents()).toContain('–')
  })

  it('counts the calls of a tool loop as one turn, and says which bytes stayed the same', async () => {
    const session = 'loop-1'
    const messages: object[] = [{ role: 'user', content: 'Look for it, then answer.' }]
    const call = { id: 'c1', type: 'function', function: { name: 'Grep', arguments: '{"pattern":"totals"}' } }
    models.script(
      'acts',
      { calls: [{ id: 'c1', name: 'Grep', input: { pattern: 'totals' } }] },
      { text: 'Done.' },
    )
    await chat(session, messages)
    await chat(session, [
      ...messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '14 matches' },
    ])
    const page = await open(`/moa?session=${session}`)
    await page.getByRole('row').filter({ hasText: 'Look for it' }).click()
    await page.getByText('1 + 1', { exact: true }).waitFor()
    const saw = block(page, 'What the aggregator saw')
    await saw.getByText(/^First \d+ characters are the same bytes as in the last call/).waitFor()
    await saw.getByRole('button', { name: 'Earlier call' }).click()
    await block(page, 'What it said').getByText('Grep', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Show in Live' }).click()
    await eventually(() => heading(page)).toBe('Live')
    expect(decodeURIComponent(page.url())).toContain(`panoptes~${session}`)
  })

  it('is gone through by keys, and left with Escape', async () => {
    const older = await run('review', 'the older one')
    const newer = await run('review', 'the newer one')
    const page = await open(`/moa?turn=${newer.id}`)
    await page.getByText('the newer one').first().waitFor()
    await eventually(() => page.getByRole('button', { name: 'Older turn' }).isEnabled()).toBe(true)
    await page.keyboard.press('[')
    await page.getByText('the older one').first().waitFor()
    expect(page.url()).toContain(older.id)
    await eventually(() => page.getByRole('button', { name: 'Newer turn' }).isEnabled()).toBe(true)
    await page.keyboard.press(']')
    await page.getByText('the newer one').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('grid', { name: 'Turns, newest first' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await eventually(() => page.url()).toContain('turn=')
  })

  it('is run again without one reference, and laid beside the replay', async () => {
    const { id } = await run('review', 'once more')
    models.script('acts', { text: 'Go ahead, nothing reads it.' })
    const page = await open(`/moa?turn=${id}`)
    await page.getByRole('button', { name: 'Replay with…' }).click()
    await page.getByRole('menuitem', { name: 'Without A, small' }).click()
    const compared = block(page, 'Turn against replay')
    await compared.getByText('Go ahead').waitFor()
    await compared.getByText('left out').waitFor()
    expect(page.url()).toContain('against=')
    expect(await axe(page)).toEqual([])
    const { replays } = await ask<TurnReply>(`/api/moa/turns/${id}`)
    expect(replays.length).toBe(1)
  })
})

describe('where texts are not written down', () => {
  it('the figures stand, and one strip offers the switch and says where they would be', async () => {
    await switchTraces(false)
    const { id } = await run('review', 'unwritten')
    const page = await open(`/moa?turn=${id}`)
    await page.getByText('The texts of this turn were not written down; the figures stand.').waitFor()
    expect(await page.getByRole('button', { name: 'Replay with…' }).count()).toBe(0)
    await reference(page, 0)
      .getByText(/characters, not written down/)
      .waitFor()
    await page.getByRole('button', { name: 'Write them down' }).click()
    await page.getByText('Turns are written down from now on').waitFor()
    expect((await ask<PresetsReply>('/api/moa/presets')).save_traces).toBe(true)
  })
})

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
    const left = models.left.length
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped. What had come by then is kept.').waitFor()
    await eventually(() => models.left.length).toBeGreaterThan(left)
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
    const page = await open('/moa')
    await page.getByRole('button', { name: /^Preset/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'shaky' }).click()
    await eventually(() => page.url()).toContain('preset=shaky')
    await eventually(() => page.getByRole('row').count()).toBe(2)
    await block(page, 'Last 50 turns of moa/shaky').waitFor()
  })
})

/** The page as it is with eight references, twenty calls and two hundred turns. */
async function openCrowded(page: Page, failing: RegExp | null = null): Promise<void> {
  const turn = crowdedTurn()
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
  await page.goto(`${daemon.address}/moa?turn=${turn.id}`)
  await block(page, 'What it said').waitFor()
}

describe('in every theme and width', () => {
  it('has nothing that a screen reader or a weak eye would stumble over', async () => {
    const page = await open('/settings')
    await followSystem(page)
    await openCrowded(page)
    expect(await block(page, 'References').getByRole('listitem').count()).toBe(8)
    expect(await block(page, 'How long each took').getByRole('row').count()).toBe(1 + 8 + 20)
    await expectNothingInBothThemes(page, 'turn')
    await page.goto(`${daemon.address}/moa`)
    await page.getByText('50 of 200').waitFor()
    await expectNothingInBothThemes(page, 'list')
    await page.goto(`${daemon.address}/moa?tab=presets`)
    await page.getByRole('heading', { name: 'moa/review' }).waitFor()
    await expectNothingInBothThemes(page, 'presets')
  })

  it('fits a phone: columns scroll in their row, the page does not', async () => {
    const page = await open('/settings', phone)
    await openCrowded(page)
    const drawn = await page.locator('html').evaluate((html) => [html.scrollWidth, html.scrollHeight])
    expect(drawn).toEqual([phone.viewport.width, phone.viewport.height])
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('navigation', { name: 'More pages' }).getByRole('link', { name: /^MoA/ }).waitFor()
  })

  it('loses one card where one thing cannot be read, and no more', async () => {
    const page = await open('/settings')
    await openCrowded(page, /\/api\/moa\/slots/)
    const failed = block(page, 'Last 50 turns of moa/review').getByRole('alert')
    await failed.getByText('The ledger cannot be read. See panoptes doctor.').waitFor()
    await page.unroute(/\/api\/moa\/slots/)
    await failed.getByRole('button', { name: 'Try again' }).click()
    await block(page, 'Last 50 turns of moa/review').getByText('p50').first().waitFor()
    await pages.closeUnheard()
  })
})

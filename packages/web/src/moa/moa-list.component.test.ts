import type { Agent } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { agent, main } from '../live/agents.test-kit.ts'
import { eventually, expectAccessible, it, page, userEvent } from '../testing/page.tsx'
import { presetsReply, turn, turns } from './moa.test-kit.ts'
import { answerMoa, fakeRun, runParts } from './moa-server.test-kit.ts'
import { invalidateMoa } from './queries.ts'

const block = (name: string) => page.getByRole('region', { name, exact: true })

describe('The MoA page before the first turn', () => {
  it('opens with the key 6, runs a preset and opens the finished turn', async ({ server, open }) => {
    const run = fakeRun()
    answerMoa(server)
    server.on('POST /api/moa/run', run.answer)
    await open('/')
    await userEvent.keyboard('6')
    await expect.element(page.getByText(/^The preset review is ready\./)).toBeVisible()
    await expectAccessible()
    await page.getByRole('textbox', { name: /^Question/ }).fill('Is it safe to drop invoice_totals?')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible()
    await eventually(() => server.requestsTo('POST /api/moa/run').map(({ body }) => body)).toEqual([
      { preset: 'review', prompt: 'Is it safe to drop invoice_totals?' },
    ])
    answerMoa(server, { turns: [turn()] })
    await run.send(...runParts(turn(), 'No, take two releases.'))
    await run.end()
    await eventually(() => location.search).toContain(`turn=${turn().id}`)
    await expect.element(block('Answer')).toBeVisible()
  })

  it('shows its whole title on a phone', async ({ server, open }) => {
    answerMoa(server)
    await open('/moa', [390, 844])
    const title = page.getByRole('heading', { level: 1, name: 'MoA' }).element()
    expect(title.scrollWidth).toBeLessThanOrEqual(title.clientWidth)
    await expectAccessible()
  })

  it('keeps a test run going when the list learns of its turn', async ({ server, open }) => {
    const run = fakeRun()
    answerMoa(server)
    server.on('POST /api/moa/run', run.answer)
    await open('/moa')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible()
    answerMoa(server, { turns: [turn({ status: 'running' })] })
    await invalidateMoa()
    await run.send(...runParts(turn(), 'No, take two releases.'))
    await expect.element(page.getByText('No, take two releases.')).toBeVisible()
    expect(run.hasLeft()).toBe(false)
  })

  it('shows detected providers and a config to copy when there is no preset', async ({
    server,
    open,
    copied,
  }) => {
    answerMoa(server, { presets: presetsReply({ presets: [] }) })
    await open('/moa')
    await expect.element(page.getByText(/^No presets yet\./)).toBeVisible()
    await expect.element(block('Found on this computer').getByText('claude', { exact: true })).toBeVisible()
    await expect
      .element(
        page.getByText(/Or add these lines to the existing sections of config\.yaml and restart Panoptes\./),
      )
      .toBeVisible()
    const config = block('For config.yaml')
    await config.getByRole('button', { name: 'Copy' }).click()
    await eventually(copied).toContain('presets:')
    expect(config.element().querySelector('pre')?.textContent).toBe(copied())
    await expectAccessible()
    await page.getByRole('link', { name: 'Add preset' }).click()
    await expect.element(page.getByRole('heading', { name: 'New preset' })).toBeVisible()
  })
})

describe('The list of turns', () => {
  it('shows running turns with bars and reloads the list when they end', async ({ server, open }) => {
    const about = { source: 'panoptes', session_id: 'run-1', started_at: Date.now(), last_at: Date.now() }
    const running = (change: Partial<Agent> = {}) => [
      main({ ...about, prompt_preview: 'take your time', ...change }),
      agent({
        ...about,
        id: 'ref-3f2a91bc-1',
        subagent_type: 'reference',
        model: 'slow',
        prompt_preview: 'local/slow',
        ...change,
      }),
    ]
    answerMoa(server, { turns: turns(2) })
    await open('/moa')
    await expect.element(page.getByRole('grid', { name: 'Turns, newest first' })).toBeVisible()
    server.stream.send({ type: 'agents', seq: 1, data: running() })
    const now = block('Running now')
    await expect.element(now.getByText('take your time')).toBeVisible()
    await expect
      .element(now.getByRole('row').filter({ hasText: 'slow' }).filter({ hasText: 'working' }).first())
      .toBeInTheDocument()
    answerMoa(server, { turns: [turn({ id: 'newest', question: 'take your time' }), ...turns(2)] })
    const over = { state: 'done', ended_at: Date.now() } as const
    server.stream.send({ type: 'agents', seq: 2, data: running(over) })
    await eventually(() => now.elements().length).toBe(0)
    await expect.element(page.getByRole('row', { name: /take your time/ })).toBeVisible()
  })

  it('is filtered by preset in the address, with the statistics of that preset', async ({ server, open }) => {
    answerMoa(server, { turns: turns(8) })
    await open('/moa')
    await eventually(() => page.getByRole('row').elements().length).toBe(1 + 8)
    await page.getByRole('button', { name: /^Preset/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'quick' }).click()
    await eventually(() => location.search).toBe('?preset=quick')
    await eventually(() => page.getByRole('row').elements().length).toBe(1 + 2)
    await expect.element(block('Last 50 turns of moa/quick')).toBeVisible()
    await eventually(() => server.requestsTo('GET /api/moa/slots').at(-1)?.query.get('preset')).toBe('quick')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(() => page.getByRole('row').elements().length).toBe(1 + 8)
  })

  it('shows the newest fifty of two hundred turns, then all, and passes axe', async ({ server, open }) => {
    answerMoa(server, { turns: turns(200) })
    await open('/moa')
    await expect.element(page.getByText('50 of 200')).toBeVisible()
    await expectAccessible()
    await page.getByRole('button', { name: 'All 200' }).click()
    await expect.element(page.getByRole('status').filter({ hasText: /^200$/ })).toBeVisible()
  })

  it('turns text recording off, and Undo turns it on again', async ({ server, open }) => {
    answerMoa(server, { turns: turns(2) })
    await open('/moa')
    await page.getByRole('button', { name: 'Record text' }).click()
    await expect.element(page.getByText('Stopped recording text')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.element(page.getByText('Recording the text of new turns')).toBeVisible()
    expect(server.requestsTo('PUT /api/moa/traces').map(({ body }) => body)).toEqual([
      { save: false },
      { save: true },
    ])
  })
})

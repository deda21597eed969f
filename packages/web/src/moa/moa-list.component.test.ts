import type { Agent } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { agent, main } from '../live/agents.test-kit.ts'
import { eventually, expectAccessible, it, page, userEvent } from '../testing/page.tsx'
import { presetsReply, turn, turns } from './moa.test-kit.ts'
import { answerMoa, fakeRun, runParts } from './moa-server.test-kit.ts'

const block = (name: string) => page.getByRole('region', { name, exact: true })

describe('The MoA page before the first turn', () => {
  it('is one key away, offers a preset to try, and shows the turn when it is over', async ({
    server,
    open,
  }) => {
    const run = fakeRun()
    answerMoa(server)
    server.on('POST /api/moa/run', run.answer)
    await open('/')
    await userEvent.keyboard('6')
    await expect.element(page.getByText(/^The preset review is ready\./)).toBeVisible()
    await expectAccessible()
    await page.getByRole('textbox', { name: /^Question/ }).fill('Is it safe to drop invoice_totals?')
    await page.getByRole('button', { name: 'Try it' }).click()
    await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible()
    await eventually(() => server.requestsTo('POST /api/moa/run').map(({ body }) => body)).toEqual([
      { preset: 'review', prompt: 'Is it safe to drop invoice_totals?' },
    ])
    answerMoa(server, { turns: [turn()] })
    await run.send(...runParts(turn(), 'No, take two releases.'))
    await run.end()
    await eventually(() => location.search).toContain(`turn=${turn().id}`)
    await expect.element(block('What it said')).toBeVisible()
  })

  it('shows what was found on this computer where there is no preset, with a config to copy', async ({
    server,
    open,
    copied,
  }) => {
    answerMoa(server, { presets: presetsReply({ presets: [] }) })
    await open('/moa')
    await expect.element(page.getByText(/There is no preset yet/)).toBeVisible()
    await expect.element(block('Found on this computer').getByText('claude', { exact: true })).toBeVisible()
    const config = block('For config.yaml')
    await config.getByRole('button', { name: 'Copy' }).click()
    await eventually(copied).toContain('presets:')
    expect(config.element().querySelector('pre')?.textContent).toBe(copied())
    await expectAccessible()
    await page.getByRole('link', { name: 'Make a preset' }).click()
    await expect.element(page.getByRole('heading', { name: 'New preset' })).toBeVisible()
  })
})

describe('The list of turns', () => {
  it('shows turns that run now with bars, and reads the list again when they are over', async ({
    server,
    open,
  }) => {
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
      .element(now.getByRole('row').filter({ hasText: 'slow' }).filter({ hasText: 'works' }).first())
      .toBeInTheDocument()
    answerMoa(server, { turns: [turn({ id: 'newest', question: 'take your time' }), ...turns(2)] })
    const over = { state: 'done', ended_at: Date.now() } as const
    server.stream.send({ type: 'agents', seq: 2, data: running(over) })
    await eventually(() => now.elements().length).toBe(0)
    await expect.element(page.getByRole('row', { name: /take your time/ })).toBeVisible()
  })

  it('is narrowed by preset in the address, with the figures of that preset', async ({ server, open }) => {
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

  it('shows the newest fifty of two hundred turns, then more, and is accessible', async ({
    server,
    open,
  }) => {
    answerMoa(server, { turns: turns(200) })
    await open('/moa')
    await expect.element(page.getByText('50 of 200')).toBeVisible()
    await expectAccessible()
    await page.getByRole('button', { name: 'All 200' }).click()
    await expect.element(page.getByRole('status').filter({ hasText: /^200$/ })).toBeVisible()
  })

  it('switches the writing of texts from its filters, and back', async ({ server, open }) => {
    answerMoa(server, { turns: turns(2) })
    await open('/moa')
    await page.getByRole('button', { name: 'Write texts down' }).click()
    await expect.element(page.getByText('Turns are no longer written down')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.element(page.getByText('Turns are written down from now on')).toBeVisible()
    expect(server.requestsTo('PUT /api/moa/traces').map(({ body }) => body)).toEqual([
      { save: false },
      { save: true },
    ])
  })
})

import type { ScriptedServer } from '@panoptes/engine/testing/scripted-models'
import type { PresetsReply, TurnReply } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { startScriptedModels, writePreset } from './moa-models.ts'
import { eventually, usePages } from './page-kit.ts'

const pages = usePages()
let home: TestHome
let models: ScriptedServer
let daemon: Daemon
beforeAll(async () => {
  models = await startScriptedModels()
  home = await makeHome()
  await writePreset(home, models.url)
  daemon = await startDaemon({ home })
})
afterAll(async () => {
  await daemon?.stop()
  await models?.close()
  await home?.remove()
})

const ask = async <T>(path: string): Promise<T> => (await (await daemon.request(path)).json()) as T
const block = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe('the MoA page with real turns', () => {
  it('runs a preset, shows the whole turn, runs it again without a reference, and compares both', async () => {
    const page = await pages.open(daemon, '/moa')
    await page.getByText('The preset review is ready.').waitFor()
    await page.getByLabel('Question').fill('Is it safe to drop invoice_totals?')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await eventually(() => page.url()).toContain('turn=')
    const advice = block(page, 'References').getByRole('listitem')
    await advice.nth(1).getByText('Make a copy before anything else.').waitFor()
    await eventually(() => block(page, 'Answer').textContent()).toMatch(/Make a copy.* look at the lock/)
    await block(page, 'What the aggregator saw').getByText('Guidance, added by MoA').waitFor()

    models.script('acting', { text: 'Go ahead.' })
    const id = new URL(page.url()).searchParams.get('turn')
    await page.getByRole('button', { name: 'Replay with…' }).click()
    await page.getByRole('menuitem', { name: 'Without A (early)' }).click()
    const compared = block(page, 'Turn vs. replay')
    await compared.getByText('Go ahead').waitFor()
    await compared.getByText('removed').waitFor()
    const { replays } = await ask<TurnReply>(`/api/moa/turns/${id}`)
    expect(replays.map(({ slots }) => slots.map(({ model }) => model))).toEqual([['late', 'acting']])
  })

  it('writes a preset into the config, and stops every call of a trial run', async () => {
    const page = await pages.open(daemon, '/moa?tab=presets&make=1')
    await page.getByLabel('Name', { exact: true }).fill('mine')
    await page.getByLabel('Reference A, model').fill('hanging')
    await page.getByRole('button', { name: 'Remove reference B' }).click()
    await page.getByLabel('Aggregator, model').fill('acting')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'moa/mine' }).waitFor()
    const { presets } = await ask<PresetsReply>('/api/moa/presets')
    expect(presets.find(({ name }) => name === 'mine')?.preset.reference_models).toMatchObject([
      { provider: 'local', model: 'hanging' },
    ])
    models.script('hanging', { hangs: true })
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('0 of 1 reference answered').waitFor()
    await eventually(() => models.requests.some(({ body }) => body.model === 'hanging')).toBe(true)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped. Panoptes keeps the text that had arrived.').waitFor()
    await eventually(() => models.left.length).toBe(1)
  })

  it('shows a turn of another client until its end', async () => {
    models.script('late', { hangs: true })
    const page = await pages.open(daemon, '/moa')
    const hangUp = new AbortController()
    const run = daemon.request('/api/moa/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ preset: 'review', prompt: 'take your time' }),
      signal: hangUp.signal,
    })
    const now = block(page, 'Running now')
    await now.getByText('take your time').waitFor()
    const late = now.getByRole('row').filter({ hasText: 'local:late' }).filter({ hasText: 'working' })
    await late.waitFor({ state: 'attached' })
    const { body } = await run
    hangUp.abort()
    await body?.cancel().catch(() => undefined)
    await eventually(() => now.count()).toBe(0)
    await page.getByRole('row').filter({ hasText: 'take your time' }).waitFor()
  })
})

import type { PresetsReply, TurnReply } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { axe } from './axe.ts'
import { HOSTILE, SHARED } from './moa-home.ts'
import { eventually } from './page-kit.ts'
import { block, heading, reference, useMoa } from './page-moa-kit.ts'

const { models, open, ask, run, chat, switchTraces } = useMoa()

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
    models().script(
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
    models().script('acts', { text: 'Go ahead, nothing reads it.' })
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

import { describe, expect } from 'vitest'
import { axeViolations, eventually, expectAccessible, it, page } from '../testing/page.tsx'
import { me } from '../testing/replies.ts'
import { presetsReply, turn, turns } from './moa.test-kit.ts'
import { answerMoa, fakeRun, runParts } from './moa-server.test-kit.ts'

const block = (name: string) => page.getByRole('region', { name, exact: true })
const save = () => page.getByRole('button', { name: 'Save', exact: true })

describe('Presets', () => {
  it('show the validation errors of the server and are saved after correction', async ({ server, open }) => {
    answerMoa(server, { turns: turns(1) })
    await open('/moa?tab=presets&make=1')
    await page.getByLabelText('Name', { exact: true }).fill('mine')
    await page.getByLabelText('Reference A, model').fill('small')
    await page.getByRole('button', { name: 'Remove reference B' }).click()
    await page.getByLabelText('Answers needed').fill('most')
    await expect.element(save()).toBeDisabled()
    await page.getByLabelText('Aggregator, model').fill('acts')
    await save().click()
    await expect.element(page.getByText('must be a whole number')).toBeVisible()
    await expect.element(page.getByLabelText('Answers needed')).toHaveAttribute('aria-invalid', 'true')
    expect(await axeViolations()).toEqual([])
    await page.getByLabelText('Answers needed').fill('1')
    await save().click()
    await expect.element(page.getByText('Saved mine')).toBeVisible()
    await expect.element(page.getByRole('heading', { name: 'moa/mine' })).toBeVisible()
    await expect.poll(() => location.search).toContain('open=mine')
    expect(server.requestsTo('PUT /api/moa/presets/:name').at(-1)).toMatchObject({
      path: '/api/moa/presets/mine',
      body: {
        reference_models: [{ provider: 'claude', model: 'small' }],
        aggregator: { provider: 'claude', model: 'acts' },
        quorum: 1,
      },
    })
  })

  it('run once when they are saved and run together, and Add preset starts empty', async ({
    server,
    open,
  }) => {
    const run = fakeRun()
    answerMoa(server, { turns: turns(1) })
    server.on('POST /api/moa/run', run.answer)
    await open('/moa?tab=presets&make=1')
    await page.getByLabelText('Name', { exact: true }).fill('mine')
    await page.getByLabelText('Reference A, model').fill('small')
    await page.getByRole('button', { name: 'Remove reference B' }).click()
    await page.getByLabelText('Aggregator, model').fill('acts')
    await page.getByRole('button', { name: 'Save and run' }).click()
    await expect.poll(() => location.search).toContain('open=mine')
    await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible()
    await run.send(...runParts(turn(), 'It works.'))
    await run.end()
    await expect.element(block('Answer').getByText('It works.')).toBeVisible()
    expect(server.requestsTo('POST /api/moa/run')).toHaveLength(1)
    await page.getByRole('link', { name: 'Add preset' }).click()
    await expect.element(page.getByLabelText('Name', { exact: true })).toHaveValue('')
    expect(block('Answer').elements()).toEqual([])
  })

  it('are deleted and restored unchanged by Undo', async ({ server, open }) => {
    answerMoa(server, { turns: turns(1) })
    await open('/moa?tab=presets&open=quick')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect.element(page.getByText('Deleted quick')).toBeVisible()
    await eventually(() => page.getByRole('link', { name: /^quick/ }).elements().length).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.element(page.getByText('Restored quick')).toBeVisible()
    await expect.element(page.getByRole('link', { name: /^quick/ })).toBeVisible()
    const quick = presetsReply().presets.find(({ name }) => name === 'quick')
    expect(server.requestsTo('PUT /api/moa/presets/:name').at(-1)?.body).toEqual(quick?.preset)
  })

  it('show bars and the streamed answer during a test run', async ({ server, open }) => {
    const run = fakeRun()
    answerMoa(server, { turns: turns(1) })
    server.on('POST /api/moa/run', run.answer)
    await open('/moa?tab=presets&open=review')
    await page.getByRole('textbox', { name: /^Question/ }).fill('Shall we?')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible()
    await run.send(...runParts(turn(), 'Not yet.'))
    await run.end()
    await expect.element(block('Answer').getByText('Not yet.')).toBeVisible()
    await expect
      .element(page.getByRole('link', { name: 'Open the turn' }))
      .toHaveAttribute('href', `/moa?turn=${turn().id}`)
  })

  it('can be stopped during a test run, which closes the request', async ({ server, open }) => {
    const run = fakeRun()
    answerMoa(server, { turns: turns(1) })
    server.on('POST /api/moa/run', run.answer)
    await open('/moa?tab=presets&open=review')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible()
    await run.send(...runParts(turn(), '').slice(0, 2))
    await expect.element(page.getByText('1 of 4 references answered')).toBeVisible()
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect.element(page.getByText('Stopped. Panoptes keeps the text that had arrived.')).toBeVisible()
    await eventually(run.hasLeft).toBe(true)
  })

  it('show why a test run failed', async ({ server, open }) => {
    const run = fakeRun()
    answerMoa(server, { turns: turns(1) })
    server.on('POST /api/moa/run', run.answer)
    await open('/moa?tab=presets&open=review')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible()
    await run.send({ type: 'failed', turn: null, class: 'auth', message: 'The key was refused.' })
    await run.end()
    await expect.element(page.getByText('Run failed: The key was refused.')).toBeVisible()
  })

  it('show their configuration problems, and those of Hermes can only be copied', async ({
    server,
    open,
  }) => {
    answerMoa(server, { turns: turns(1) })
    await open('/moa?tab=presets&open=night')
    await expect.element(page.getByRole('heading', { name: 'moa/night' })).toBeVisible()
    await expect.element(page.getByText('aggregator: The provider nowhere is not there.')).toBeVisible()
    await expect.element(page.getByRole('button', { name: 'Copy to config' })).toBeEnabled()
    expect(page.getByRole('button', { name: 'Delete', exact: true }).elements()).toEqual([])
    await expectAccessible()
  })

  it('are read-only for members of a team but can be run', async ({ server, open }) => {
    answerMoa(server, { turns: turns(1) })
    server.on('GET /api/me', me({ team: true, role: 'member', home: false }))
    await open('/moa?tab=presets&open=review')
    await expect.element(page.getByRole('heading', { name: 'moa/review' })).toBeVisible()
    await eventually(() => save().elements().length).toBe(0)
    expect(page.getByRole('link', { name: 'Add preset' }).elements()).toEqual([])
    await expect.element(page.getByLabelText('Aggregator, model')).toBeDisabled()
    await expect.element(page.getByRole('button', { name: 'Run', exact: true })).toBeVisible()
  })

  it('open from a list on a phone', async ({ server, open }) => {
    answerMoa(server, { turns: turns(1) })
    await open('/moa?tab=presets', [390, 844])
    await page.getByRole('link', { name: /^review/ }).click()
    await expect.element(page.getByRole('heading', { name: 'moa/review' })).toBeVisible()
    expect(document.documentElement.scrollWidth).toBe(390)
    await page.getByRole('button', { name: 'All presets' }).click()
    await expect.element(page.getByRole('link', { name: /^quick/ })).toBeVisible()
  })
})

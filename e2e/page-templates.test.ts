import { join } from 'node:path'
import type {
  CreatedTemplate,
  EffectMeasure,
  ListedTemplate,
  Suggestion,
  TemplateReply,
  TemplatesReply,
} from '@panoptes/schema'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { axe, expectNothingInBothThemes, followSystem } from './axe.ts'
import type { TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { eventually, focused, usePages } from './page-kit.ts'
import { GOOD, HOSTILE, homeWithTemplates } from './templates-home.ts'

const pages = usePages()
let home: TestHome
let daemon: Daemon

const ask = async <T>(path: string): Promise<T> => (await (await daemon.request(path)).json()) as T

async function make(name: string): Promise<CreatedTemplate> {
  const answer = await daemon.request('/api/templates', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ source: 'claude-code', session_id: GOOD, name, force: true }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as CreatedTemplate
}

beforeAll(async () => {
  home = await homeWithTemplates()
  daemon = await startDaemon({ home })
  const suggested = () => ask<readonly Suggestion[]>('/api/templates/suggested')
  await vi.waitFor(async () => expect(await suggested()).toHaveLength(1), { timeout: 30_000, interval: 50 })
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
})

const open = (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
  pages.open(daemon, path, { viewport: { width: 1440, height: 900 }, ...options })

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const panel = (page: Page, name: string) => page.getByRole('complementary', { name: `Template ${name}` })
const LIST = /\/api\/templates$/

describe('a template', () => {
  it('is made of a session that is suggested, once someone has seen what is kept and what was taken out', async () => {
    const page = await open('/settings')
    const none = { templates: [], broken: [], folder: '/there', experiment: null }
    await page.route(LIST, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ json: none }) : route.continue(),
    )
    await page.keyboard.press('4')
    await page.getByRole('heading', { name: 'No templates yet' }).waitFor()
    await page.getByRole('button', { name: 'Preview a template of Retry queue loses the last job' }).click()
    const dialog = page.getByRole('dialog', { name: 'Template from a session' })
    await dialog.getByText('Keeps 6 of 7 tool calls').waitFor()
    expect(await dialog.textContent()).toMatch(
      /7 turns looked at.*1 failed.*0 without a result.*1 secret removed/,
    )
    expect(await dialog.getByRole('article').getByRole('heading').allTextContents()).toEqual([
      ...['Grep', 'Read', 'Edit', 'Bash', 'Bash', 'Bash'],
    ])
    expect(await axe(page)).toEqual([])
    await dialog.getByLabel('Examples, at most').fill('2')
    await eventually(() => dialog.getByRole('article').count()).toBe(2)
    await dialog.getByLabel('Name').fill('retry_queue')
    await dialog.getByLabel(/^Type/).selectOption('code')
    await page.unroute(LIST)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Created template retry_queue').waitFor()
    expect(await row(page, 'retry_queue').textContent()).toMatch(
      /atlas.*code.*needs 10 sessions on each side.*Not used yet/,
    )
    const shown = panel(page, 'retry_queue')
    await shown.getByText('2 examples').waitFor()
    await shown.getByText(HOSTILE).waitFor()
    expect(await page.title()).toMatch(/Templates · Panoptes$/)
    await shown.getByRole('link', { name: 'Retry queue loses the last job' }).click()
    await page.getByRole('region', { name: 'Transcript' }).waitFor()
  })

  it('is made of a transcript that is open, and does not take the place of another unasked', async () => {
    await make('taken')
    const page = await open(`/sessions?session=claude-code~${GOOD}`)
    await page.getByRole('button', { name: 'Make a template' }).click()
    const dialog = page.getByRole('dialog', { name: 'Template from a session' })
    await dialog.getByLabel('Name').fill('taken')
    await dialog.getByText('There is a template of this name.').waitFor()
    await dialog.getByRole('button', { name: 'Replace it' }).click()
    await page.getByText('Created template taken').waitFor()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await panel(page, 'taken').getByText('6 examples').waitFor()
  })

  it('is made of a session that is found by its words, from anywhere', async () => {
    const page = await open('/settings')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').getByRole('combobox').fill('> make a template')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Template from a session' })
    await dialog.getByLabel('Search in all sessions').fill('no such words')
    await dialog.getByText('No session has these words.').waitFor()
    await dialog.getByLabel('Search in all sessions').fill('enqueueRetry')
    await dialog.getByRole('button', { name: /^Retry queue loses the last job/ }).click()
    await dialog.getByText('Keeps 6 of 7 tool calls').waitFor()
    await dialog.getByRole('button', { name: 'Other session' }).click()
    await dialog.getByLabel('Search in all sessions').waitFor()
  })

  it('is copied in the form that an agent takes, which counts as a use', async () => {
    await make('copied')
    const page = await open('/templates?name=copied', { permissions: ['clipboard-read', 'clipboard-write'] })
    await panel(page, 'copied').getByText('not used yet').waitFor()
    await panel(page, 'copied').getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: 'OpenAI messages' }).click()
    await page.getByText('Copied as OpenAI messages. It counts as a use').waitFor()
    const copied = await page.evaluate(() => {
      const scope = globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      return scope.navigator.clipboard.readText()
    })
    expect(JSON.parse(copied)).toHaveLength(1 + 2 * 6)
    await panel(page, 'copied').getByText('used once').waitFor()
  })

  it('is deleted, and taken back for as long as the notice is there', async () => {
    await make('gone')
    const page = await open('/templates?name=gone')
    await panel(page, 'gone').waitFor()
    await page.getByRole('button', { name: 'Delete gone' }).click()
    await page.getByText('Deleted gone').waitFor()
    await eventually(() => row(page, 'gone').count()).toBe(0)
    await eventually(async () => (await focused(page))?.name).toBe('Templates, newest first')
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'gone').waitFor()
    const { templates } = await ask<TemplatesReply>('/api/templates')
    expect(templates.map(({ name }) => name)).toContain('gone')
  })
})

/** Shows a template as if sessions with and without it had been compared, which takes dozens of them. */
async function asIfCompared(page: Page, name: string): Promise<void> {
  const compared: EffectMeasure = {
    ...{ name: 'tool_errors', with: 0.08, without: 0.19, with_sessions: 34, without_sessions: 41 },
    ...{ difference: -0.11, low: -0.19, high: -0.03, reading: 'fewer' },
  }
  const about = { with_sessions: 34, without_sessions: 41, verdict: 'helps' }
  const one = await ask<TemplateReply>(`/api/templates/${name}`)
  const effect = { ...one.effect, ...about, measures: [compared], caveats: ['Nobody drew lots.'] }
  await page.route(/\/api\/templates\/[^/]+\/whole\?/, (route) => route.fulfill({ json: { ...one, effect } }))
  const all = await ask<TemplatesReply>('/api/templates')
  const templates = all.templates.map((each) => ({
    ...each,
    effect: { ...each.effect, ...(each.name === name ? { ...about, tool_errors: compared } : {}) },
  }))
  await page.route(LIST, (route) => route.fulfill({ json: { ...all, templates, experiment: 0.5 } }))
}

describe('the list', () => {
  it('names files that are no templates, and leaves those of Hermes alone', async () => {
    const page = await open('/templates?type=research')
    await page.getByText('1 file is no template and is left as it is:').waitFor()
    await page.getByText('half.json').waitFor()
    await page.getByText(`In ${join(home.panoptes, 'templates')}`).waitFor()
    await page.getByRole('button', { name: 'Copy the folder’s path' }).waitFor()
    await panel(page, 'morning').getByText('of Hermes, only read').waitFor()
    expect(await page.getByRole('button', { name: 'Delete morning' }).isDisabled()).toBe(true)
  })

  it('stays quick with hundreds, is narrowed by type, and is worked by keys alone', async () => {
    await make('first')
    const real = await ask<TemplatesReply>('/api/templates')
    const [one] = real.templates.filter(({ name }) => name === 'first')
    if (!one) throw new Error('there is no template')
    const many = Array.from(
      { length: 600 },
      (_, n): ListedTemplate => ({
        ...one,
        file: `${one.file}${n}`,
        name: n === 1 ? 'first' : `one ${n}`,
        task_type: n % 3 === 0 ? 'terminal' : 'code',
      }),
    )
    const page = await open('/settings')
    await page.route(LIST, (route) => route.fulfill({ json: { ...real, templates: many } }))
    const first = await ask('/api/templates/first')
    await page.route(/\/api\/templates\/one/, (route) => route.fulfill({ json: first }))
    await page.keyboard.press('4')
    await page.getByText('600 templates').waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(40)
    await page.locator('label', { hasText: 'terminal 200' }).click()
    await eventually(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('201')
    await page.locator('label', { hasText: 'All 600' }).click()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await panel(page, 'first').getByText('6 examples').waitFor()
    expect(page.url()).toContain('name=first')
    await page.keyboard.press('End')
    await row(page, 'one 599').waitFor()
  })

  it('tells two of one name apart, and leads to the one that the address names, however far down', async () => {
    await make('twin')
    const { templates, ...rest } = await ask<TemplatesReply>('/api/templates')
    const twin = templates.find(({ name }) => name === 'twin')
    if (!twin) throw new Error('there is no template')
    const others = Array.from({ length: 60 }, (_, n) => ({
      ...twin,
      file: `${twin.file}${n}`,
      name: `at ${n}`,
    }))
    const theirs: ListedTemplate = { ...twin, place: 'hermes', file: '/h/twin.json', created_at: 1e14 }
    const many = [theirs, ...others.slice(0, 9), twin, ...others.slice(9)]
    const page = await open('/settings')
    await page.route(LIST, (route) => route.fulfill({ json: { ...rest, templates: many } }))
    const one = await ask<TemplateReply>('/api/templates/twin')
    const template = { ...one.template, created_at: 1e14, examples: [] }
    await page.route(/\/twin\/whole\?place=hermes/, (route) =>
      route.fulfill({ json: { ...one, place: 'hermes', template } }),
    )
    await page.goto(`${daemon.address}/templates?name=twin`)
    await panel(page, 'twin').getByText('6 examples').waitFor()
    const at = (which: Locator) => which.evaluate((element) => element.getBoundingClientRect())
    const selected = page.getByRole('row', { selected: true })
    const inView = async () => {
      const [grid, chosen] = [await at(page.getByRole('grid')), await at(selected)]
      return chosen.top >= grid.top + 28 && chosen.bottom <= grid.bottom + 1
    }
    await eventually(inView).toBe(true)
    expect(await selected.getAttribute('aria-rowindex')).toBe('12')
    await page.getByRole('grid').press('Home')
    await row(page, 'of Hermes').click()
    await panel(page, 'twin').getByText('date unknown').waitFor()
    expect(page.url()).toContain('place=hermes')
    expect(await page.getByRole('button', { name: 'Delete twin' }).isDisabled()).toBe(true)
  })

  it('that cannot be read says why and what to do, and tries again', async () => {
    const page = await open('/settings')
    const problem = { detail: 'The folder cannot be read.', next: 'See that you may read it.' }
    await page.route(LIST, (route) => route.fulfill({ status: 500, json: problem }))
    await page.keyboard.press('4')
    const alert = page
      .getByRole('alert')
      .filter({ hasText: 'The folder cannot be read. See that you may read it.' })
    await alert.waitFor()
    await page.unroute(LIST)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await row(page, 'morning').waitFor()
    await pages.closeUnheard()
  })
})

describe('in every theme and width', () => {
  it('has nothing that a screen reader or a weak eye would stumble over', async () => {
    await make('seen')
    const page = await open('/settings')
    await asIfCompared(page, 'seen')
    await page.goto(`${daemon.address}/templates?name=seen`)
    await followSystem(page)
    await panel(page, 'seen').getByText('6 examples').waitFor()
    const card = page.getByRole('region', { name: 'Does seen help?' })
    expect(await card.getByRole('row').nth(1).textContent()).toBe(
      'Tool errors' + 'fewer8 %19 %−11 pts−19 … −3−19 … −3fewer',
    )
    await page.getByRole('img', { name: '−11 pts, 95 % interval from −19 pts to −3 pts' }).waitFor()
    await expectNothingInBothThemes(page, 'wide')
    await page.setViewportSize({ width: 390, height: 844 })
    await panel(page, 'seen').getByText('Does seen help?').waitFor()
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(390)
    await expectNothingInBothThemes(page, 'sheet')
    // Both can be clicked, whatever stands above them.
    for (const name of ['Delete seen', 'From a session'])
      await page.getByRole('button', { name, exact: true }).click({ trial: true })
    const strip = await page.getByText('1 file is no template').evaluate((text) => {
      const scope = globalThis as unknown as { innerWidth: number }
      return text.getBoundingClientRect().width / scope.innerWidth
    })
    expect(strip).toBeGreaterThan(0.7)
    await page.keyboard.press('Escape')
    await eventually(() => panel(page, 'seen').count()).toBe(0)
    await expectNothingInBothThemes(page, 'narrow')
  })
})

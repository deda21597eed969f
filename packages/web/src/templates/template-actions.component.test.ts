import { describe, expect } from 'vitest'
import { answerSessions, answerTranscript, pastSession } from '../sessions/sessions.test-kit.ts'
import { parallelSession } from '../sessions/transcript/sample-sessions.test-kit.ts'
import { eventually, expectAccessible, it, page, userEvent } from '../testing/page.tsx'
import { answerTemplates, listedTemplate } from './templates.test-kit.ts'

const WIDE = [1440, 900] as const
const dialog = page.getByRole('dialog', { name: 'Template from a session' })
const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
const panel = (name: string) => page.getByRole('complementary', { name: `Template ${name}` })
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('a template', () => {
  it('is created from a suggested session after a preview', async ({ server, open }) => {
    answerTemplates(server)
    await open('/templates', WIDE)
    await expect.element(page.getByRole('heading', { name: 'No templates yet' })).toBeVisible()
    await button('Preview a template from Retry queue loses the last job').click()
    await expect.element(dialog.getByText('Keeps 3 of 4 tool calls')).toBeVisible()
    await expect
      .element(dialog)
      .toMatchTextContent(/4 turns scanned.*1 failed.*0 without a result.*1 secret removed/)
    const kept = () =>
      dialog
        .getByRole('article')
        .getByRole('heading')
        .elements()
        .map((heading) => heading.textContent)
    await eventually(kept).toEqual(['Grep', 'Read', 'Bash'])
    await expectAccessible()
    await dialog.getByLabelText('Maximum examples').fill('2')
    await eventually(kept).toEqual(['Grep', 'Read'])
    await dialog.getByLabelText('Name').fill('retry_queue')
    await dialog.getByLabelText(/^Type/).selectOptions('code')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect.element(page.getByText('Created template retry_queue')).toBeVisible()
    expect(server.requestsTo('POST /api/templates').map(({ body }) => body)).toEqual([
      {
        source: 'claude-code',
        session_id: 'good',
        max_examples: 2,
        type: 'code',
        name: 'retry_queue',
        force: false,
      },
    ])
    await expect
      .element(row('retry_queue.*atlas.*code.*needs 10 sessions with and 10 without.*Not used yet'))
      .toBeVisible()
    await expect.element(panel('retry_queue').getByText('2 examples')).toBeVisible()
    await expect
      .element(panel('retry_queue').getByText('<img src=x onerror="document.title=1">'))
      .toBeVisible()
    expect(document.querySelector('main img')).toBeNull()
    expect(document.title).toMatch(/Templates · Panoptes$/)
    await expect
      .element(panel('retry_queue').getByRole('link', { name: 'Retry queue loses the last job' }))
      .toHaveAttribute('href', '/sessions?session=claude-code%7Es1')
  })

  it('is created from an open transcript and replaces a namesake only on request', async ({
    server,
    open,
  }) => {
    const told = parallelSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    answerTemplates(server, { templates: [listedTemplate({ name: 'taken', examples: 1 })] })
    await open('/sessions?session=claude-code~parallel')
    await button('Make a template').click()
    await dialog.getByLabelText('Name').fill('taken')
    await expect
      .element(dialog.getByText(/^A template with this name already exists\. This one would replace it\./))
      .toBeVisible()
    await dialog.getByRole('button', { name: 'Replace' }).click()
    await expect.element(page.getByText('Created template taken')).toBeVisible()
    expect(server.requestsTo('POST /api/templates').at(-1)?.body).toMatchObject({
      name: 'taken',
      session_id: 'parallel',
      force: true,
    })
    await button('Show').click()
    await eventually(() => location.pathname + location.search).toBe('/templates?name=taken')
  })

  it('is created from a session found by search in the palette dialog', async ({ server, open }) => {
    answerSessions(server, () => [
      pastSession({ id: 'good', title: 'Retry queue loses the last job', tool_calls: 4 }),
      pastSession({ id: 'talk', title: 'Only talk', tool_calls: 0 }),
    ])
    answerTemplates(server)
    server.on('GET /api/past/search', [])
    await open('/sessions')
    await userEvent.keyboard('{Control>}k{/Control}')
    await page.getByRole('dialog').getByRole('combobox').fill('> make a template')
    await userEvent.keyboard('{Enter}')
    await expect.element(dialog.getByRole('button', { name: /^Retry queue/ })).toBeVisible()
    await expect.element(dialog.getByRole('button', { name: /^Only talk/ })).not.toBeInTheDocument()
    await dialog.getByLabelText('Search in all sessions').fill('no such words')
    await expect.element(dialog.getByText(/^No sessions match\./)).toBeVisible()
    await dialog.getByLabelText('Search in all sessions').fill('queue')
    await userEvent.keyboard('{ArrowDown}')
    await dialog.getByRole('button', { name: /^Retry queue loses the last job/ }).click()
    await expect.element(dialog.getByText('Keeps 3 of 4 tool calls')).toBeVisible()
    await dialog.getByRole('button', { name: 'Other session' }).click()
    await expect.element(dialog.getByLabelText('Search in all sessions')).toBeVisible()
  })

  it('keeps the typed name and shows the reason when creation fails', async ({ server, open }) => {
    answerTemplates(server)
    server.fail('POST /api/templates', 409, { detail: 'Another program made it just now.' })
    await open('/templates', WIDE)
    await button('Preview a template from Retry queue loses the last job').click()
    await dialog.getByLabelText('Name').fill('late')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect
      .element(dialog.getByRole('alert').filter({ hasText: 'Another program made it just now.' }))
      .toBeVisible()
    await expect.element(dialog.getByLabelText('Name')).toHaveValue('late')
  })

  it('is copied in the format of an agent, which counts as a use', async ({ server, open, copied }) => {
    answerTemplates(server, { templates: [listedTemplate({ name: 'copied' })] })
    await open('/templates?name=copied', WIDE)
    await expect.element(panel('copied').getByText(/not used yet/)).toBeVisible()
    await panel('copied').getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: 'OpenAI messages' }).click()
    await expect.element(page.getByText('Copied as OpenAI messages. Counted as a use.')).toBeVisible()
    expect(server.requestsTo('POST /api/templates/inject').map(({ body }) => body)).toEqual([
      { name: 'copied', place: 'panoptes', for: 'openai' },
    ])
    expect(JSON.parse(copied() ?? '')).toEqual([{ role: 'system', content: 'Examples follow.' }])
    await expect.element(panel('copied').getByText(/used once/)).toBeVisible()
  })

  it('is deleted and restored by Undo', async ({ server, open }) => {
    const folder = answerTemplates(server, {
      templates: [listedTemplate({ name: 'gone' }), listedTemplate({ name: 'stays' })],
    })
    await open('/templates?name=gone', WIDE)
    await button('Delete gone').click()
    await expect.element(page.getByText('Deleted gone')).toBeVisible()
    await expect.element(row('gone')).not.toBeInTheDocument()
    await expect.element(page.getByRole('grid', { name: 'Templates, newest first' })).toHaveFocus()
    await button('Undo').click()
    await expect.element(row('gone')).toBeVisible()
    await expect.element(page.getByText('Restored gone')).toBeVisible()
    expect(folder.templates.map(({ name }) => name)).toEqual(['gone', 'stays'])
  })

  it('stays when deletion fails, and the page reports one that was already deleted', async ({
    server,
    open,
  }) => {
    answerTemplates(server, { templates: [listedTemplate({ name: 'gone' })] })
    server.fail('DELETE /api/templates/gone', 500, { detail: 'The disk is full.' })
    await open('/templates', WIDE)
    await button('Delete gone').click()
    await expect.element(page.getByText('That didn’t work: The disk is full.')).toBeVisible()
    await expect.element(row('gone')).toBeVisible()
    server.fail('DELETE /api/templates/gone', 404, { detail: 'There is no template gone.' })
    await button('Delete gone').click()
    await expect.element(page.getByText('gone was already deleted')).toBeVisible()
  })
})

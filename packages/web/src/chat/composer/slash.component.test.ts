import type { TemplatesReply } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { listed } from '../../templates/templates.test-kit.ts'
import { expectAccessible, page, userEvent } from '../../testing/page.tsx'
import { button, field, it, write } from '../chat-page.test-kit.ts'

const templates: TemplatesReply = {
  templates: [
    { ...listed(), name: 'careful-review' },
    { ...listed(), name: 'deploy' },
  ],
  broken: [],
  folder: '/home/dev/.panoptes/templates',
  experiment: null,
}

describe('A template after a slash', () => {
  it('is chosen with Enter and sent, and the draft survives when the template is gone', async ({
    open,
    chat,
    server,
  }) => {
    server.on('GET /api/templates', templates)
    await open(`/chat?c=${chat.add().id}`)
    await field().fill('/rev')
    await expect.element(page.getByRole('option', { name: /careful-review/ })).toBeVisible()
    await expect.element(page.getByRole('option', { name: /deploy/ })).not.toBeInTheDocument()
    await expectAccessible()
    await userEvent.keyboard('{Enter}')
    await expect.element(button('Template: Template: careful-review')).toBeVisible()
    const gone = { code: 'invalid', detail: 'There is no template careful-review.', next: 'Choose another.' }
    server.fail('POST /api/conversations/:id/chat', 400, gone)
    await write('Look at it.')
    await expect.element(page.getByText(/^That didn’t work: .*careful-review/)).toBeVisible()
    const [sent] = server.requestsTo('POST /api/conversations/:id/chat')
    expect(sent?.body).toMatchObject({ message: 'Look at it.', template: 'careful-review' })
    await expect.element(field()).toHaveValue('Look at it.')
    await expect.element(button('Template: Template: careful-review')).toBeVisible()
  })
})

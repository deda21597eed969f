import { expect, it } from 'vitest'
import { forget } from './forget.ts'
import { asked, homeWith } from './sessions.test-kit.ts'

it('lists sessions that start with a copy of the forgotten one, and keeps them', async () => {
  const copied = { ...asked('go'), forkedFrom: { sessionId: 'old' } }
  const { context, document, text } = homeWith({
    old: [asked('go')],
    branch: [copied, asked('another way')],
    other: [asked('something else')],
  })
  const note = '1 session begins with a copy and is kept: branch. To delete the copy as well, forget it too.'
  await forget(context, 'old', { dryRun: true })
  expect(text()).toContain(note)
  await forget(context, 'other', { dryRun: true })
  expect(text()).not.toContain('copy')
  await forget(context, 'old', { yes: true })
  expect(text()).toContain(note)
  expect(document()).toMatchObject({ sessions: 1, forgotten: [{ id: 'old', branches: ['branch'] }] })
  await forget(context, 'branch', { dryRun: true })
  expect(document()).toMatchObject({ sessions: [{ id: 'branch', title: 'another way', branches: [] }] })
})

import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page, userEvent } from '../testing/page.tsx'
import { answerSessions, answerTranscript } from './sessions.test-kit.ts'
import { failedSession, parallelSession } from './transcript/sample-sessions.test-kit.ts'

const transcript = page.getByRole('region', { name: 'Transcript' })
const heading = (name: string) => transcript.getByRole('heading', { name })
const press = (...keys: readonly string[]) => userEvent.keyboard(keys.join(''))

describe('the keys of the Sessions page', () => {
  it('move through the list and an open session, copy, fold and search', async ({ server, open }) => {
    const [failed, parallel] = [failedSession(), parallelSession()]
    answerSessions(server, () => [failed.session, parallel.session])
    answerTranscript(server, () => failed)
    answerTranscript(server, () => parallel)
    await open('/sessions')
    await expect.element(page.getByRole('grid')).toBeVisible()
    await press('j')
    await expect.element(page.getByRole('grid')).toHaveFocus()
    await press('{End}', '{Enter}')
    await expect.element(heading('RUN:parallel')).toBeVisible()
    await press('{Escape}')
    await expect.element(transcript).not.toBeInTheDocument()
    await expect.element(page.getByRole('grid')).toHaveFocus()
    await press('k', '{Enter}')
    await expect.element(heading('RUN:failure')).toBeVisible()
    // The heading appears before the messages that the keys step through.
    await eventually(() => document.querySelector('#message-1')).not.toBeNull()
    const marked = () => document.querySelector('main [aria-current=true]')?.id
    await press('j', 'j', 'k')
    await eventually(marked).toBe('message-0')
    await press('e')
    await eventually(() => location.search).toMatch(/[?&]n=1(&|$)/)
    await eventually(marked).toBe('message-1')
    const call = page.elementLocator(document.querySelector('#message-1 button') ?? document.body)
    await expect.element(call).toHaveAttribute('aria-expanded', 'true')
    await press('o')
    await expect.element(call).toHaveAttribute('aria-expanded', 'false')
    await press('c')
    await expect.element(page.getByText('Copied 1 message as Markdown')).toBeVisible()
    await press('/')
    await expect.element(page.getByLabelText('Search in all sessions')).toHaveFocus()
  })

  it('show where the focus is', async ({ server, open }) => {
    answerSessions(server, () => [parallelSession().session])
    await open('/sessions')
    await expect.element(page.getByRole('grid')).toBeVisible()
    await press('j')
    await expect.element(page.getByRole('grid')).toHaveFocus()
    const around = document.querySelector('table')?.parentElement
    expect(around && getComputedStyle(around, '::after').outlineWidth).toBe('2px')
  })
})

describe('Sessions on a phone', () => {
  it('shows either the list or a transcript at full width', async ({ server, open }) => {
    const parallel = parallelSession()
    answerSessions(server, () => [parallel.session])
    answerTranscript(server, () => parallel)
    await open('/sessions', [390, 844])
    await page.getByRole('row', { name: /RUN:parallel/ }).click()
    await expect.element(heading('RUN:parallel')).toBeVisible()
    // A hidden element has no role.
    await expect.element(page.getByRole('grid')).not.toBeInTheDocument()
    expect(document.documentElement.scrollWidth).toBe(390)
    await expectAccessible()
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await expect.element(page.getByRole('grid')).toBeVisible()
    expect(document.documentElement.scrollWidth).toBe(390)
  })
})
